// What others need of statuses, labels and views. Their editors are loaded when they are opened.

export { ChooseLabels, ChooseStatus, type Chosen } from "./Choose";
export { cssOf } from "./colours";
export { LineField } from "./LineField";
export { ColourDot, LabelChip, StatusIcon } from "./marks";
export { entryParts, organised, useOrganisation, type FlatLabel, type OrganisationUse } from "./organisation";
export { OrganiseSettings } from "./lazy";
