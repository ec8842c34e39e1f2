// Automations: what happens by itself, and what is kept from happening.

export { AutomationForm } from "./AutomationForm";
export { AutomationPage } from "./AutomationPage";
export { AutomationRows } from "./AutomationRows";
