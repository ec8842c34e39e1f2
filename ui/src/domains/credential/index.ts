// What others need of credentials. Their page is loaded when it is opened.

export { CredentialSettings } from "./parts";
export { KeyAges } from "./KeyAges";
