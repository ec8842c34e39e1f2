export { ThemeEditing } from "./ThemeEditing";
export { ThemeGallery } from "./ThemeGallery";
export { lookOf, useThemes } from "./useThemes";
