// What Codex is told in the config file of its private home. Every line was seen to be taken, and to work, with the pinned version.

/** The variable that holds the key, in the program's environment alone. */
export const KEY_VARIABLE = "TIDEGATE_CODEX_KEY";
/**
 * The program asks git about the folder that it works in, and git runs what the folder's own settings name (filters, measured). So for the
 * program there is no repository; for the commands that the owner allows there is.
 */
export const NO_GIT: Readonly<Record<string, string>> = { GIT_DIR: "/dev/null" };
/** A kept thread names its provider and can't be picked up without one of that name: it stays as it is for good. */
const PROVIDER = "tidegate";

const OPENAI_URL = "https://api.openai.com/v1";

type Settings = {
  readonly locked: boolean;
  readonly model: string | undefined;
  /** With a key of ours; else with the owner's own sign-in. */
  readonly withKey: boolean;
  readonly baseUrl: string | undefined;
  /** The home folder that the owner's commands see. */
  readonly home: string;
};

/** The whole config.toml. */
export function configToml({ locked, model, withKey, baseUrl, home }: Settings): string {
  return [
    ...(model === undefined ? [] : [`model = ${quoted(model)}`]),
    ...(withKey ? [`model_provider = ${quoted(PROVIDER)}`] : []),
    ...(!withKey && baseUrl !== undefined ? [`openai_base_url = ${quoted(baseUrl)}`] : []),
    // The owner's sign-in is a file that is linked to.
    'cli_auth_credentials_store = "file"',
    // Searches are not asked about, and what is looked for could carry words out.
    'web_search = "disabled"',
    "check_for_update_on_startup = false",
    // Instructions in the work folder may be anyone's.
    "project_doc_max_bytes = 0",
    'model_reasoning_summary = "auto"',
    ...(withKey ? provider(baseUrl ?? OPENAI_URL) : []),
    "[features]",
    `shell_tool = ${!locked}`,
    // What is typed into a running command is not asked about; without a terminal there is nothing to type into.
    "unified_exec_tty = false",
    ...OFF.map((name) => `${name} = false`),
    "[agents]",
    "enabled = false",
    "[skills]",
    "include_instructions = false",
    "[skills.bundled]",
    "enabled = false",
    "[tools.update_plan]",
    "enabled = true",
    "[tools.experimental_request_user_input]",
    "enabled = false",
    "[analytics]",
    "enabled = false",
    "[shell_environment_policy]",
    'inherit = "all"',
    `exclude = [${[KEY_VARIABLE, "CODEX_*", ...Object.keys(NO_GIT)].map(quoted).join(", ")}]`,
    `set = { HOME = ${quoted(home)} }`,
    "",
  ].join("\n");
}

/** Each of these runs, reads or fetches something that is not asked about. */
const OFF: readonly string[] = [
  ...["shell_snapshot", "view_image", "plugins", "goals", "apps", "hooks", "memories", "sleep_tool"],
  ...["tool_suggest", "image_generation", "skill_search"],
];

function provider(baseUrl: string): readonly string[] {
  return [
    `[model_providers.${PROVIDER}]`,
    'name = "Tidegate"',
    `base_url = ${quoted(baseUrl)}`,
    'wire_api = "responses"',
    `env_key = ${quoted(KEY_VARIABLE)}`,
    // They multiply.
    "request_max_retries = 1",
    "stream_max_retries = 1",
  ];
}

/** A TOML string: JSON's escapes are among its own, and what JSON leaves alone and it does not is taken out. */
function quoted(text: string): string {
  return JSON.stringify(text.replaceAll("\u007F", ""));
}
