export { SkillPage, SkillRows } from "./SkillPage";
export { MakeSkill } from "./SkillEditor";
