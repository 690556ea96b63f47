// Shows the session's state and sends what a person does. Texts are set as text.
const send = (body) => fetch("event", { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) });
const keys = { ArrowLeft: "left", ArrowRight: "right", ArrowUp: "up", ArrowDown: "down" };
const state = document.getElementById("state");

document.addEventListener("keydown", (e) => {
  const key = keys[e.key];
  if (key && e.target.tagName !== "INPUT" && !e.repeat) {
    e.preventDefault();
    send({ key });
  }
});
for (const b of document.querySelectorAll("[data-key]")) b.addEventListener("click", () => send({ key: b.dataset.key }));
document.getElementById("reset").addEventListener("click", () => send({ reset: true }));
document.getElementById("say").addEventListener("submit", (e) => {
  e.preventDefault();
  const field = document.getElementById("text");
  if (field.value.trim()) send({ text: field.value.trim() });
});

const events = new EventSource("state");
events.onmessage = (m) => {
  const s = JSON.parse(m.data);
  const gen = s.generation ? `generation ${s.generation}, ` : "";
  state.textContent = `frame ${s.frame} · ${gen}step ${s.step} · ${s.rate.toFixed(1)} frames/s · ${s.prompt}`;
};
events.onerror = () => {
  events.close();
  state.textContent = "the session has ended";
};
