// Files: what arrives reaches the model, what can't is said in words, and the text beside it always runs.
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { journey, toldTo } from "./gateway.ts";

const PICTURE = new Uint8Array([0xff, 0xd8, 0xff, 0xe0, 1, 2, 3, 4]);

it("T3, T2, E6: a photo with its caption goes to the model as a picture, from a private file with a name of ours", async () => {
  await using day = await journey({ engines: { local: { images: true } } });
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
});

it("T3, E6: a document and a voice note are named to the model, an engine without eyes gets the photo in words", async () => {
  await using day = await journey();
  day.say("", {
    document: { bytes: new TextEncoder().encode("a,b\n1,2"), name: "Q3 figures.csv", mimeType: "text/csv" },
  });
  await day.shown("You said");
  day.say("", { voice: { bytes: new Uint8Array([1, 2]) } });
  day.say("and this", { photo: { bytes: PICTURE } });
  await day.shown("and this");
  await day.settled();
  const told = day.models.requests.flatMap(toldTo).join("\n");
  expect(told).toContain("Q3 figures.csv");
  expect(told).toMatch(/voice, audio\/ogg/);
  expect(told).toMatch(/photo, image\/jpeg/);
  expect(told).not.toContain("base64");
});

it("T4, D28: too large, empty and unavailable files are each said in clear words, and the text beside them still runs", async () => {
  await using day = await journey();
  const large = { bytes: new Uint8Array([1]), name: "film.mp4", size: 21 * 1024 * 1024 };
  day.say("Cut this", { document: large });
  expect((await day.shown("film.mp4”: ")).text).toBe(
    "“film.mp4”: The file is larger than the 20 MB that Telegram lets a bot fetch.",
  );
  expect(toldTo(await day.asked(1))[0]).toContain("Cut this");
  await day.settled();

  day.say("Read this", { document: { bytes: new Uint8Array(0), name: "empty.txt" } });
  expect((await day.shown("empty.txt”: ")).text).toBe("“empty.txt”: The file is empty: it holds 0 bytes.");
  expect(toldTo(await day.asked(2)).at(-1)).toContain("Read this");
  await day.settled();

  day.telegram.fail("getFile", {
    kind: "error",
    code: 400,
    description: "Bad Request: wrong file_id or the file is temporarily unavailable",
  });
  day.say("And this", { document: { bytes: new Uint8Array([1]), name: "lost.txt" } });
  expect((await day.shown("lost.txt”: ")).text).toBe(
    "“lost.txt”: Telegram doesn't give the file out. Try sending it again.",
  );
  const told = toldTo(await day.asked(3)).at(-1);
  expect(told).toContain("And this");
  expect(told).toContain("could not be fetched");
  await day.settled();
});

it("T4: a file alone that can't be fetched starts no turn, and nothing half-fetched is left", async () => {
  await using day = await journey();
  day.telegram.fail("getFile", { kind: "html502" });
  day.say("", { document: { bytes: new Uint8Array([1]), name: "alone.txt" } });
  await day.shown("alone.txt”: ");
  await day.settled();
  expect(day.models.requestCount).toBe(0);
  const work = join(day.data, "work");
  expect(readdirSync(work, { recursive: true, encoding: "utf8" }).filter((name) => name.includes("."))).toEqual([]);
});
