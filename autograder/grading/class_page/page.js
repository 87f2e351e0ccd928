// The class page's tables, drawn by DataTables from the data in the page. Texts are set as text, never as markup.
"use strict";

const data = JSON.parse(document.getElementById("data").textContent);
const asText = DataTable.render.text(); // DataTables takes strings for markup: this escapes them
const named = (values) => Object.fromEntries(data.fields.map((field, at) => [field, values[at]]));
const labs = data.labs.map((lab) => ({ ...lab, rows: lab.rows.map(named) }));
const byLab = labs.map((lab) => new Map(lab.rows.map((row) => [row.student, row])));
const everyone = data.people.map((_, student) => {
  const rows = byLab.map((found) => found.get(student));
  return {
    student,
    rows,
    sum: rows.reduce((sum, row) => sum + (row.total ?? 0), 0),
    late: rows.filter((row) => row.late).length,
    missing: rows.filter(isMissing).length,
  };
});

function isMissing(row) {
  return row.status === "not submitted";
}

const rounded = (value) => (value === null || value === undefined ? null : Math.round(value * 100) / 100);

function made(tag, text, properties = {}) {
  return Object.assign(document.createElement(tag), { textContent: text, ...properties });
}

// ---- who is shown: a name and what holds for the row of a lab

const FILTERS = [
  ["Not submitted", isMissing],
  ["Late", (row) => row.late],
  ["Refused", (row) => row.status === "refused"],
  ["Not graded", (row) => row.status.startsWith("not graded")],
  ["To grade by hand", (row) => row.waiting],
  ["Same as the reference", (row) => row.same && row.same.length],
];

const inAnyLab = FILTERS.map(([name, holds]) => [`${name} in some lab`, (row) => row.rows.some(holds)]);

function addFilters(chips, table, rows, filters) {
  const all = [["Everyone", () => true], ...filters];
  const buttons = all.map(([name, holds]) => {
    const count = rows.filter(holds).length;
    const button = made("button", `${name} ${count.toLocaleString("en")}`, { type: "button", hidden: !count });
    button.addEventListener("click", () => {
      buttons.forEach((each) => each.setAttribute("aria-pressed", each === button));
      table.search.fixed("shown", (_, row) => Boolean(holds(row))).draw();
    });
    button.setAttribute("aria-pressed", name === "Everyone");
    return button;
  });
  chips.append(...buttons);
}

// ---- columns

const text = (value, options = {}) => ({ data: value, render: asText, type: "string", ...options });
const number = (value, options = {}) => ({
  data: (row, type) => (type === "display" ? value(row) ?? "–" : value(row)),
  type: "num", className: "number", searchable: false, ...options,
});

const WHO = [
  text((row) => data.people[row.student][0], {
    createdCell: (cell, id) => cell.replaceChildren(made("button", id, { type: "button", className: "student" })),
  }),
  text((row) => data.people[row.student].slice(1).filter(Boolean).join("  "), {
    createdCell: (cell, _, row) => {
      const [, name, email] = data.people[row.student];
      cell.textContent = name || email;
      cell.title = email;
    },
  }),
];

function notes(row) {
  const status = row.status === "graded" ? [] : [row.reason ? `${row.status}: ${row.reason}` : row.status];
  return [...status, ...(row.notes ?? [])].join(", ");
}

function exercise(lab, at) {
  const found = (row) => (row.outcomes?.length ? lab.outcomes[at][row.outcomes[at]] : null);
  const shown = (row) => (found(row) && data.kinds[found(row)[0]] !== "fault" ? found(row)[1] : null);
  return number(shown, {
    createdCell: (cell, _, row) => {
      if (!found(row)) return;
      const [kind, , verdict, sentences] = found(row);
      cell.className = `kind-${data.kinds[kind]}${row.same.includes(at) ? " same" : ""}`;
      cell.title = [`${lab.exercises[at][0]}: ${verdict}`, ...sentences].join("\n");
    },
  });
}

function total(lab, of) {
  return number((row) => rounded(of(row).total), {
    createdCell: (cell, _, row) => {
      if (of(row).status === "refused") cell.textContent = "refused";
      cell.classList.toggle("none", of(row).total === null);
      cell.classList.toggle("waiting", Boolean(of(row).waiting));
      cell.title = `${lab.title}: ${notes(of(row)) || of(row).status}`;
    },
  });
}

const ofClass = () => [
  ...WHO,
  ...labs.map((lab, at) => total(lab, (row) => row.rows[at])),
  number((row) => rounded(row.sum)), number((row) => row.late), number((row) => row.missing),
];

const ofLab = (lab) => [
  ...WHO,
  number((row) => row.points),
  ...(lab.extra ? [number((row) => row.extra)] : []),
  total(lab, (row) => row),
  ...lab.exercises.map((_, at) => exercise(lab, at)),
  text(notes, { className: "notes" }),
  number((row) => row.cpu),
];

// ---- sections, each drawn when it is first shown

const LAYOUT = { topStart: "search", topEnd: "info", bottomStart: "pageLength", bottomEnd: "paging" };
const LENGTHS = { pageLength: 25, lengthMenu: [25, 50, 100, 250, { label: "all", value: -1 }] };
const WORDS = {
  search: "Search students", lengthMenu: "_MENU_ a page", info: "_START_ to _END_ of _TOTAL_",
  infoEmpty: "nobody", infoFiltered: "", zeroRecords: "Nobody is found: clear the search or choose Everyone.",
  emptyTable: "Nobody is in the gradebook yet.",
};

function draw(section) {
  const table = section.querySelector("table.students");
  const lab = labs.find((each) => each.id === table.dataset.table);
  const rows = lab ? lab.rows : everyone;
  const columns = lab ? ofLab(lab) : ofClass();
  const drawn = new DataTable(table, {
    data: rows, columns, layout: LAYOUT, ...LENGTHS, language: WORDS, order: [[0, "asc"]], autoWidth: false,
  });
  addFilters(section.querySelector(".chips"), drawn, rows, lab ? FILTERS : inAnyLab);
  for (const each of section.querySelectorAll("table.exercises")) {
    new DataTable(each, { paging: false, searching: false, info: false, order: [], autoWidth: false });
  }
}

function show() {
  const wanted = decodeURIComponent(location.hash.slice(1));
  const sections = [...document.querySelectorAll("main > section")];
  const chosen = sections.find((section) => section.id === wanted) ?? sections[0];
  sections.forEach((section) => (section.hidden = section !== chosen));
  for (const link of document.querySelectorAll("header nav a")) {
    if (link.hash === `#${chosen.id}`) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  if (!chosen.dataset.drawn) draw(chosen);
  chosen.dataset.drawn = true;
  scrollTo(0, 0);
}

// ---- one student, in a dialog

function ofStudent(lab, row) {
  const [id] = data.people[row.student];
  const points = [["points", row.points], ["extra", row.extra], ["total", rounded(row.total)]];
  const facts = [notes(row) || row.status, ...points.filter(([, value]) => value !== null).map((each) => each.join(" "))];
  const found = made("details", "", { open: location.hash === `#${lab.id}` || labs.length === 1 });
  const summary = made("summary", "");
  summary.append(made("b", lab.title), facts.join(" · "));
  found.append(summary);
  if (isMissing(row)) return found;
  const list = made("ul", "");
  let right = 0;
  (row.outcomes ?? []).forEach((number, at) => {
    const [kind, earned, verdict, sentences] = lab.outcomes[at][number];
    const [name, , most] = lab.exercises[at];
    if (data.kinds[kind] === "full") return (right += 1);
    const item = made("li", "");
    item.append(made("span", `${earned} of ${most}`, { className: data.kinds[kind] }), made("code", name), ` ${verdict}`);
    item.append(...sentences.map((sentence) => made("p", sentence)));
    list.append(item);
  });
  if (row.outcomes?.length) found.append(made("p", `${right} of ${row.outcomes.length} exercises are right.`), list);
  if (row.same?.length) {
    const names = row.same.map((at) => lab.exercises[at][0]).join(", ");
    found.append(made("p", `Same syntax tree as the reference: ${names}.`));
  }
  const judged = `judged ${row.judged}, isolation ${row.tier}, seed ${row.seed ?? "–"}, ${row.cpu} CPU seconds`;
  const last = made("p", "", { className: "hint" });
  if (row.has_page) {
    const address = [data.feedback, id, lab.id, "lab.html"].map(encodeURIComponent).join("/");
    last.append(made("a", "The student's page of feedback", { href: address }), " · ");
  }
  last.append(judged);
  found.append(last);
  return found;
}

function open(id) {
  const student = data.people.findIndex(([each]) => each === id);
  const [, name, email] = data.people[student];
  const dialog = document.querySelector("dialog");
  dialog.querySelector("h2").textContent = [id, name, email].filter(Boolean).join(" · ");
  dialog.querySelector("div").replaceChildren(...labs.map((lab, at) => ofStudent(lab, byLab[at].get(student))));
  dialog.showModal();
  dialog.scrollTop = 0;
}

document.addEventListener("click", (event) => {
  const button = event.target.closest("button.student");
  if (button) open(button.textContent);
});
addEventListener("hashchange", show);
show();
document.documentElement.dataset.ready = Math.round(performance.now());
