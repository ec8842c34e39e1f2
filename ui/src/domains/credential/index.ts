// What others need of credentials. Their page is loaded when it is opened.

export { CredentialSettings } from "./lazy";
export { KeyAges } from "./KeyAges";
