// Comfort only: every page works without it.
for (const button of document.querySelectorAll("[data-reveal]")) {
  const field = document.getElementById(button.dataset.reveal);
  button.hidden = false;
  button.addEventListener("click", () => {
    const shown = field.type === "text";
    field.type = shown ? "password" : "text";
    button.textContent = shown ? button.dataset.show : button.dataset.hide;
    button.setAttribute("aria-pressed", String(!shown));
  });
  field.form.addEventListener("submit", () => { field.type = "password"; });
}
for (const form of document.querySelectorAll("[data-submit-now]")) form.submit();
// Codes are pasted with spaces, and typed with them.
for (const field of document.querySelectorAll("[data-digits]")) {
  field.addEventListener("input", () => {
    const digits = field.value.replace(/[\s-]/g, "");
    if (digits !== field.value) field.value = digits;
  });
}
for (const button of document.querySelectorAll("[data-wait]")) {
  const label = button.textContent, note = document.getElementById("wait");
  const end = Date.now() + Number(button.dataset.wait) * 1000;
  const count = () => {
    const left = Math.ceil((end - Date.now()) / 1000);
    button.disabled = left > 0;
    const clock = `${Math.floor(left / 60)}:${String(left % 60).padStart(2, "0")}`;
    button.textContent = left > 0 ? `${button.dataset.counting} ${clock}` : label;
    if (left > 0) setTimeout(count, 250);
  };
  note.hidden = true;
  count();
}
for (const list of document.querySelectorAll("[data-policy]")) {
  const field = document.getElementById(list.dataset.policy);
  const rules = { lowercase: /\p{Ll}/u, uppercase: /\p{Lu}/u, number: /\p{Nd}/u, symbol: /[^\p{L}\p{Nd}]/u };
  const check = () => {
    for (const item of list.children) {
      const rule = item.dataset.rule;
      const met = rule === "length" ? [...field.value].length >= Number(item.dataset.minimum) : rules[rule].test(field.value);
      item.classList.toggle("met", met);
      item.lastElementChild.textContent = field.value === "" ? "" : `: ${met ? list.dataset.met : list.dataset.unmet}`;
    }
  };
  field.addEventListener("input", check);
  check();
}
// 204: nothing has happened yet. Whatever else is said, the page itself knows what comes next.
for (const element of document.querySelectorAll("[data-poll]")) {
  let failures = 0;
  const ask = async () => {
    try {
      const answer = await fetch(element.dataset.poll, { cache: "no-store", redirect: "manual" });
      if (answer.status !== 204 && answer.status !== 429 && answer.status < 500) return location.reload();
      failures = answer.status === 204 ? 0 : failures + 1;
    } catch { failures += 1; }
    setTimeout(ask, Math.min(2000 * 2 ** failures, 30000));
  };
  setTimeout(ask, 2000);
}
for (const button of document.querySelectorAll("[data-copy]")) {
  if (!navigator.clipboard) continue;
  const label = button.textContent;
  button.hidden = false;
  button.addEventListener("click", async () => {
    const lines = [...document.getElementById(button.dataset.copy).children].map((item) => item.textContent.trim());
    try { await navigator.clipboard.writeText(lines.join("\n")); } catch { return; }
    button.textContent = button.dataset.done;
    setTimeout(() => { button.textContent = label; }, 2000);
  });
}
for (const button of document.querySelectorAll("[data-print]")) {
  button.hidden = false;
  button.addEventListener("click", () => print());
}
