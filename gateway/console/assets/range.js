/**
 * Times that are entered are in the reader's own zone: the form says which one it is. Without this
 * they are in UTC, and the form says that.
 */

function zoneOf(date) {
  const minutes = -date.getTimezoneOffset();
  if (minutes === 0) return "Z";
  const two = (number) => String(Math.floor(number)).padStart(2, "0");
  const size = Math.abs(minutes);
  return `${minutes < 0 ? "-" : "+"}${two(size / 60)}:${two(size % 60)}`;
}

for (const box of document.querySelectorAll("[data-own-range]")) {
  const form = box.closest("form");
  const zone = box.querySelector("input[name=zone]");
  const fields = [...box.querySelectorAll("input[type=datetime-local]")];
  // What the address says stays in the zone that it was said in.
  if (fields.every((field) => field.value === "")) zone.value = zoneOf(new Date());
  for (const name of box.querySelectorAll("[data-zone-name]")) {
    name.textContent = zone.value === "Z" ? "UTC" : `UTC${zone.value}`;
  }
  const choice = form.querySelector("select[name=range]");
  if (choice === null) continue;
  const showFields = () => {
    box.hidden = choice.value !== "own";
    // What is not shown is not sent.
    for (const field of box.querySelectorAll("input")) field.disabled = box.hidden;
  };
  choice.addEventListener("change", showFields);
  showFields();
}
