import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { childEnvironment } from "../../src/engines/environment.ts";

const run = promisify(execFile);

describe("a child's environment", () => {
  it("A45: holds what a program needs and nothing else", () => {
    const allowed = {
      ...{ PATH: "/bin", HOME: "/h", USER: "u", LOGNAME: "u", SHELL: "/bin/sh", LANG: "C", LC_ALL: "C", LC_CTYPE: "C" },
      ...{ TZ: "UTC", TMPDIR: "/t", TERM: "dumb", XDG_CONFIG_HOME: "/c", XDG_DATA_HOME: "/d", XDG_RUNTIME_DIR: "/r" },
      ...{ SSL_CERT_FILE: "/f", SSL_CERT_DIR: "/s", NODE_EXTRA_CA_CERTS: "/n", HTTP_PROXY: "http://p:1" },
      ...{ HTTPS_PROXY: "http://p:1", NO_PROXY: "a,b", http_proxy: "p:1", https_proxy: "http://p:1", no_proxy: "*" },
    };
    const refused = {
      ...{ NODE_OPTIONS: "--require /x.js", NODE_PATH: "/x", LD_PRELOAD: "/x.so", DYLD_INSERT_LIBRARIES: "/x" },
      ...{ ANTHROPIC_API_KEY: "k", TELEGRAM_BOT_TOKEN: "t", SSH_AUTH_SOCK: "/s", XDG_SESSION_ID: "1", path: "/x" },
      ...{
        LC_: "x",
        LC_all: "x",
        ALL_PROXY: "http://p",
        BASH_ENV: "/x",
        GIT_SSH_COMMAND: "x",
        __proto: "x",
        PATHX: "x",
      },
    };
    expect(childEnvironment({ ...refused, ...allowed, EMPTY: undefined, USER: "u" }, [])).toEqual(allowed);
    expect(childEnvironment({ HOME: undefined }, [])).toEqual({});
  });

  it("A45: no value with a configured secret in it, whatever its name", () => {
    const secrets = ["sk-secret/1", "", "abc"];
    expect(
      childEnvironment(
        {
          ...{ PATH: "/bin:/x/sk-secret/1/bin", TERM: "abc", LANG: "abcd", HOME: "/h", TZ: "sk-secret%2F1" },
          HTTP_PROXY: "http://p/?k=sk-secret/1",
        },
        secrets,
      ),
    ).toEqual({ LANG: "abcd", HOME: "/h" });
  });

  it.each(["http://user:password@proxy:1", "user:password@proxy:1", "http://token@proxy", "HTTP://u:p%40@proxy"])(
    "A45: no proxy that is given with a sign-in: %s",
    (value) => {
      const names = ["HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"];
      expect(childEnvironment(Object.fromEntries(names.map((name) => [name, value])), [])).toEqual({});
    },
  );

  it("A45: a real child sees exactly that", async () => {
    const planted = {
      ...{ PATH: "/usr/bin:/bin", HOME: "/nowhere", LANG: "C.UTF-8", TZ: "UTC" },
      ...{ NODE_OPTIONS: "--no-warnings", BOT_TOKEN: "123456:secret", TERM: "123456:secret" },
      HTTPS_PROXY: "http://me:pass@proxy:3128",
    };
    const env = childEnvironment(planted, ["123456:secret"]);
    const { stdout } = await run(process.execPath, ["-e", "console.log(JSON.stringify(process.env))"], { env });
    const seen: Record<string, string> = JSON.parse(stdout);
    // What macOS adds to every process by itself.
    delete seen["__CF_USER_TEXT_ENCODING"];
    expect(seen).toEqual({ PATH: "/usr/bin:/bin", HOME: "/nowhere", LANG: "C.UTF-8", TZ: "UTC" });
    expect(stdout).not.toContain("secret");
  });
});
