"use strict";
// What the page can do beyond being read: figures are switched between two forms, tables are sorted. Without it the
// page shows both forms of each figure, and tables as they were made.
(() => {
  const UNITS = {
    "": 1, "×": 1, "%": 1, k: 1e3, M: 1e6, G: 1e9, ns: 1e-9, "µs": 1e-6, ms: 1e-3, s: 1,
    KiB: 2 ** 10, MiB: 2 ** 20, GiB: 2 ** 30,
  };
  const NUMBER = /^([-+]?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?(?:e[-+]?\d+)?)\s*([^\s\d(),.]*)(?:\s*\(.*\))?$/;
  const words = new Intl.Collator("en", { numeric: true });

  // The value of "1,234", "12.3 ms", "10 k", "1.52 (95 %: 1.4 to 1.6)"; NaN of what is no number.
  const valueOf = (text) => {
    const [, digits, unit] = NUMBER.exec(text) || [];
    return digits !== undefined && unit in UNITS ? Number(digits.replaceAll(",", "")) * UNITS[unit] : NaN;
  };
  const isEmpty = (text) => text === "" || text === "-";

  // How two rows compare by a column: {by(a, b), isMissing(a)}. What is missing, or a word among numbers, is last in
  // either direction.
  const order = (rows, column, ofNumbers) => {
    const texts = new Map(rows.map((row) => [row, row.cells[column].textContent.trim()]));
    const values = new Map(rows.map((row) => [row, valueOf(texts.get(row))]));
    const filled = rows.filter((row) => !isEmpty(texts.get(row)));
    const found = filled.filter((row) => !Number.isNaN(values.get(row))).length;
    if (found > 0 && (ofNumbers || found === filled.length)) {
      return { by: (a, b) => values.get(a) - values.get(b), isMissing: (row) => Number.isNaN(values.get(row)) };
    }
    return {
      by: (a, b) => words.compare(texts.get(a), texts.get(b)), isMissing: (row) => isEmpty(texts.get(row)),
    };
  };

  const sort = (body, made, column, ofNumbers, direction) => {
    const rows = [...made];
    if (direction !== "none") {
      const sign = direction === "ascending" ? 1 : -1;
      const { by, isMissing } = order(rows, column, ofNumbers);
      rows.sort((a, b) => isMissing(a) - isMissing(b) || (isMissing(a) ? 0 : sign * by(a, b)));
    }
    body.append(...rows);
  };

  const NEXT = { none: "ascending", ascending: "descending", descending: "none" };
  for (const table of document.querySelectorAll("table.sorted")) {
    const heads = [...table.tHead.rows[0].cells];
    const made = [...table.tBodies[0].rows];
    heads.forEach((head, column) => {
      const button = document.createElement("button");
      button.type = "button";
      button.append(...head.childNodes);
      if (!button.textContent.trim()) {
        button.setAttribute("aria-label", `column ${column + 1}`);
      }
      head.append(button);
      head.setAttribute("aria-sort", "none");
      button.addEventListener("click", () => {
        const direction = NEXT[head.getAttribute("aria-sort")];
        heads.forEach((each) => each.setAttribute("aria-sort", each === head ? direction : "none"));
        sort(table.tBodies[0], made, column, head.classList.contains("number"), direction);
      });
    });
  }

  const choose = (box, form) => {
    for (const input of box.querySelectorAll("input")) {
      input.checked = input.value === form;
    }
    for (const each of box.closest("figure").querySelectorAll(".form")) {
      each.hidden = each.dataset.form !== form;
    }
  };
  const boxes = [...document.querySelectorAll("figure .switch")];
  for (const box of boxes) {
    box.hidden = false;
    choose(box, box.querySelector("[checked]").value);
    box.addEventListener("change", (event) => choose(box, event.target.value));
  }
  for (const button of document.querySelectorAll(".all button")) {
    button.parentElement.hidden = boxes.length === 0;
    button.addEventListener("click", () => boxes.forEach((box) => choose(box, button.value)));
  }

  // A link to a row opens what the row is folded away in.
  const open = () => {
    const place = document.getElementById(location.hash.slice(1));
    for (let each = place; each; each = each.parentElement) {
      if (each.localName === "details") {
        each.open = true;
      }
    }
    place?.scrollIntoView();
  };
  addEventListener("hashchange", open);
  if (location.hash) {
    open();
  }
})();
