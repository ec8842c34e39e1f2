export { PermissionSettings } from "./PermissionSettings";
