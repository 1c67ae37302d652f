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
