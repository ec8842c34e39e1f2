"use strict";
const find = document.getElementById("find"), words = document.getElementById("words"), found = document.getElementById("found"), fold = document.getElementById("fold");
find.hidden = false;
find.addEventListener("submit", (event) => event.preventDefault());
fold.addEventListener("click", () => {
  const open = fold.textContent === "Unfold all";
  for (const part of document.querySelectorAll("details")) part.open = open;
  fold.textContent = open ? "Fold all" : "Unfold all";
});
words.addEventListener("input", () => {
  const text = words.value.trim().toLowerCase();
  let number = 0;
  for (const part of document.querySelectorAll("main > *")) {
    const hit = text === "" || part.textContent.toLowerCase().includes(text);
    part.hidden = !hit;
    if (hit && text !== "") number += 1;
  }
  found.textContent = text === "" ? "" : number === 1 ? "1 place" : number + " places";
});
