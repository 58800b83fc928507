// What npm's two lock files say about each other: the one that is asked for, and the one that an install leaves behind.

/** A lock's packages by their folder; only what is compared. The one at "" is the project itself. */
export type LockedPackages = Readonly<Record<string, LockedPackage>>;

type LockedPackage = {
  readonly version?: string;
  readonly integrity?: string;
  readonly optional?: boolean;
  readonly os?: readonly string[];
  readonly cpu?: readonly string[];
  readonly libc?: readonly string[];
};

/** As Node names them; `libc` as npm does, meaningless outside Linux. */
export type Machine = { readonly os: string; readonly cpu: string; readonly libc: string };

export function thisMachine(): Machine {
  const { header } = process.report.getReport() as { readonly header: object };
  return { os: process.platform, cpu: process.arch, libc: "glibcVersionRuntime" in header ? "glibc" : "musl" };
}

/** Each package that is not installed as the lock says, in words. Programs for other machines are not asked for. */
export function changed(
  wanted: LockedPackages,
  installed: LockedPackages,
  here: Machine,
  onDisk: (folder: string) => boolean,
): readonly string[] {
  const faults = Object.entries(wanted).flatMap(([folder, want]) => {
    if (folder === "" || !isFor(want, here)) return [];
    const has = installed[folder];
    if (has === undefined || !onDisk(folder)) return [`${folder} is missing`];
    if (has.version !== want.version) return [`${folder} is ${has.version} instead of ${want.version}`];
    return has.integrity === want.integrity ? [] : [`${folder} is another ${has.version} than the lock's`];
  });
  const extra = Object.keys(installed).filter((folder) => wanted[folder] === undefined);
  return [...faults, ...extra.map((folder) => `${folder} is not asked for`)];
}

function isFor({ os, cpu, libc }: LockedPackage, here: Machine): boolean {
  return (os?.includes(here.os) ?? true) && (cpu?.includes(here.cpu) ?? true) && (libc?.includes(here.libc) ?? true);
}
