// A lenient multipart/form-data reader. grammY writes part headers in lower case and file names
// without quotes; names with spaces, semicolons or letters outside ASCII make strict parsers drop
// the file silently, so this one only looks for the boundary and for name= and filename=.

export interface FilePart {
  filename: string;
  mimeType: string;
  bytes: Buffer;
}

export interface FormBody {
  fields: Record<string, string>;
  files: Record<string, FilePart>;
}

export function boundaryOf(contentType: string): string | undefined {
  const match = /boundary=(?:"([^"]+)"|([^;\s]+))/i.exec(contentType);
  return match?.[1] ?? match?.[2];
}

export function parseMultipart(body: Buffer, boundary: string): FormBody {
  const result: FormBody = { fields: {}, files: {} };
  const mark = Buffer.from(`--${boundary}`);
  let at = body.indexOf(mark);
  while (at !== -1) {
    const start = at + mark.length;
    // "--" after the boundary ends the body.
    if (body[start] === 0x2d && body[start + 1] === 0x2d) break;
    const next = body.indexOf(mark, start);
    if (next === -1) break;
    readPart(body.subarray(start + 2, next - 2), result);
    at = next;
  }
  return result;
}

function readPart(part: Buffer, into: FormBody): void {
  const headEnd = part.indexOf("\r\n\r\n");
  if (headEnd === -1) return;
  const head = part.subarray(0, headEnd).toString("utf8");
  const bytes = part.subarray(headEnd + 4);
  const disposition = /^content-disposition:(.*)$/im.exec(head)?.[1] ?? "";
  const name = /[;\s]name="([^"]*)"/i.exec(disposition)?.[1];
  if (name === undefined) return;
  // The file name comes last, quoted or bare up to the end of the line.
  const filename = /;\s*filename=(?:"((?:[^"\\]|\\.)*)"|(.*))$/i.exec(disposition.trimEnd());
  if (filename) {
    const mimeType = /^content-type:\s*(\S+)/im.exec(head)?.[1] ?? "application/octet-stream";
    into.files[name] = { filename: filename[1] ?? filename[2] ?? "", mimeType, bytes };
  } else {
    into.fields[name] = bytes.toString("utf8");
  }
}
