// What Tidegate is compared with: the smallest bot that does the same by the same library. It polls with grammY, makes the
// same streamed call of a model and sends the answer. It keeps nothing: no history, no second try, nothing on disk.
import { Bot } from "grammy";

const { BENCH_TOKEN = "", BENCH_API_ROOT = "", BENCH_MODEL_URL = "" } = process.env;

const bot = new Bot(BENCH_TOKEN, { client: { apiRoot: BENCH_API_ROOT } });
// Not awaited: grammY handles the next update when this returns, and chats are to be served side by side.
bot.on("message:text", ({ chat, message }) => void answer(chat.id, message.text));
process.once("SIGTERM", () => void bot.stop());
await bot.start();

async function answer(chat: number, prompt: string): Promise<void> {
  await bot.api.sendMessage(chat, escapeHtml(await ask(prompt)), { parse_mode: "HTML" });
}

async function ask(prompt: string): Promise<string> {
  const response = await fetch(`${BENCH_MODEL_URL}/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ model: "test-model", stream: true, messages: [{ role: "user", content: prompt }] }),
  });
  let text = "";
  let rest = "";
  for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + chunk).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) if (line.startsWith("data: {")) text += delta(JSON.parse(line.slice("data: ".length)));
  }
  return text;
}

function delta(event: { choices?: { delta?: { content?: string | null } }[] }): string {
  return event.choices?.[0]?.delta?.content ?? "";
}

function escapeHtml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
