export { SkillPage, SkillRows } from "./SkillPage";
