// What a child process may know of ours.

/** Names that a program needs to find its files, its language and the network. Everything else stays here. */
const ALLOWED = new Set([
  ...["PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "TZ", "TMPDIR", "TERM", "XDG_RUNTIME_DIR"],
  ...["SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS"],
  ...["HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "no_proxy"],
]);
const ALLOWED_FAMILY = /^(?:LC_[A-Z]+|XDG_[A-Z]+_HOME)$/;
const PROXY = /^https?_proxy$/i;

/** A shorter secret is looked for only as a whole value: as a part it would take ordinary paths with it. */
const MIN_PART_CHARS = 6;

/**
 * The environment for a child process: an allow-list, and of it no value that holds a configured secret and no proxy that is
 * given with a name or a password. A child that misses one of these asks or fails; a leaked one can't be taken back.
 */
export function childEnvironment(
  from: Readonly<Record<string, string | undefined>>,
  secrets: readonly string[],
): Record<string, string> {
  const allowed = Object.entries(from).flatMap(([name, value]): [string, string][] => {
    if (value === undefined || !(ALLOWED.has(name) || ALLOWED_FAMILY.test(name))) return [];
    if (PROXY.test(name) && value.includes("@")) return [];
    return secrets.some((secret) => holds(value, secret)) ? [] : [[name, value]];
  });
  return Object.fromEntries(allowed);
}

function holds(value: string, secret: string): boolean {
  if (secret.length < MIN_PART_CHARS) return secret !== "" && value === secret;
  return value.includes(secret) || value.includes(encodeURIComponent(secret.toWellFormed()));
}
