// Files: what arrives reaches the model, what can't is said in words, and the text beside it always runs.
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { journey, toldTo } from "./gateway.ts";
import { PLATFORMS } from "./stage.ts";

const PICTURE = new Uint8Array([0xff, 0xd8, 0xff, 0xe0, 1, 2, 3, 4]);

it.each(PLATFORMS)(
  "T3, T2, E6: a photo with its caption goes to the model as a picture, from a private file with a name of ours (%s)",
  async (on) => {
    await using day = await journey({ on, engines: { local: { images: true } } });
    day.say("What is this?", { photo: { bytes: PICTURE, name: "../../etc/passwd.jpg" } });
    const request = await day.asked(1);
    await day.settled();
    const told = JSON.stringify(request.body);
    expect(told).toContain(`data:image/jpeg;base64,${Buffer.from(PICTURE).toString("base64")}`);
    expect(told).toContain("What is this?");
    const message = (await day.entries()).find((entry) => entry.kind === "message");
    const [file] = message?.message.parts.flatMap((part) => (part.kind === "file" ? [part.file] : [])) ?? [];
    expect(file?.path).toMatch(/work\/[\w-]+\/[\w-]+\.jpg$/);
    expect(readFileSync(file!.path!)).toEqual(Buffer.from(PICTURE));
    expect(statSync(file!.path!).mode & 0o777).toBe(0o600);
  },
);

it.each(PLATFORMS)(
  "T3, E6: a document and a voice note are named to the model, an engine without eyes gets the photo in words (%s)",
  async (on) => {
    await using day = await journey({ on });
    day.say("", {
      document: { bytes: new TextEncoder().encode("a,b\n1,2"), name: "Q3 figures.csv", mediaType: "text/csv" },
    });
    await day.shown("You said");
    day.say("", { voice: { bytes: new Uint8Array([1, 2]) } });
    day.say("and this", { photo: { bytes: PICTURE } });
    await day.shown("and this");
    await day.settled();
    const told = day.models.requests.flatMap(toldTo).join("\n");
    // Discord takes no spaces.
    expect(told).toMatch(/Q3[ _]figures\.csv/);
    expect(told).toContain(`${day.on.facts.voice}, audio/ogg`);
    expect(told).toMatch(/photo, image\/jpeg/);
    expect(told).not.toContain("base64");
  },
);

it.each(PLATFORMS)(
  "T4, D28: too large, empty and unavailable files are each said in clear words, and the text beside them still runs (%s)",
  async (on) => {
    await using day = await journey({ on });
    const large = { bytes: new Uint8Array([1]), name: "film.mp4", size: day.on.facts.maxFileBytes + 1 };
    day.say("Cut this", { document: large });
    expect((await day.shown("film.mp4”: ")).text).toBe(`“film.mp4”: ${day.on.facts.tooLarge}`);
    expect(toldTo(await day.asked(1))[0]).toContain("Cut this");
    await day.settled();

    day.say("Read this", { document: { bytes: new Uint8Array(0), name: "empty.txt" } });
    expect((await day.shown("empty.txt”: ")).text).toBe("“empty.txt”: The file is empty: it holds 0 bytes.");
    expect(toldTo(await day.asked(2)).at(-1)).toContain("Read this");
    await day.settled();

    day.fail("fetch", { kind: "unavailable" });
    day.say("And this", { document: { bytes: new Uint8Array([1]), name: "lost.txt" } });
    expect((await day.shown("lost.txt”: ")).text).toBe(`“lost.txt”: ${day.on.facts.unavailable}`);
    const told = toldTo(await day.asked(3)).at(-1);
    expect(told).toContain("And this");
    expect(told).toContain("could not be fetched");
    await day.settled();
  },
);

it.each(PLATFORMS)(
  "T4: a file alone that can't be fetched starts no turn, and nothing half-fetched is left (%s)",
  async (on) => {
    await using day = await journey({ on });
    day.fail("fetch", { kind: "html502" });
    day.say("", { document: { bytes: new Uint8Array([1]), name: "alone.txt" } });
    await day.shown("alone.txt”: ");
    await day.settled();
    expect(day.models.requestCount).toBe(0);
    const work = join(day.data, "work");
    expect(readdirSync(work, { recursive: true, encoding: "utf8" }).filter((name) => name.includes("."))).toEqual([]);
  },
);
