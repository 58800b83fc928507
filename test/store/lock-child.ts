// Takes a folder's lock, says so, and holds it until it is killed; or says why it can't.
import { GatewayError } from "../../src/core/error.ts";
import { lockFolder } from "../../src/store/lock.ts";

try {
  const lock = lockFolder(process.argv[2] ?? "");
  console.log("held");
  setInterval(() => lock, 1_000);
} catch (thrown) {
  console.log(thrown instanceof GatewayError ? thrown.code : thrown);
}
