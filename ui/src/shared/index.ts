// The components that know no word of the domain. Import from here: `import { Button } from "@/shared"`.

export { Button, IconButton, type ButtonProps, type IconButtonProps } from "./Button";
export { CodeBlock, Coloured, type CodeBlockProps } from "./CodeBlock";
export { CommandPalette, type PaletteItem } from "./CommandPalette";
export { ConfirmHost, confirm, type Question } from "./confirm";
export { CopyButton } from "./CopyButton";
export { cx } from "./cx";
export { DataTable } from "./DataTable";
export { DiffView, languageOf, type DiffViewProps } from "./DiffView";
export { Dialog, Sheet, type DialogProps, type SheetProps } from "./Dialog";
export { Checkbox } from "./Checkbox";
export { TextArea, TextField, type TextAreaProps, type TextFieldProps } from "./fields";
export { fuzzyScore } from "./fuzzy";
export {
    useElapsed,
    useFocusWhen,
    useLetters,
    useMediaQuery,
    useNow,
    useOverTime,
    useRemembered,
    useDebounced,
    useThrottled,
    useToday,
    useTitle,
} from "./hooks";
export { JsonView } from "./JsonView";
export { lazyPart, preloadParts } from "./lazy-part";
export { Kbd, Keys } from "./Kbd";
export { Badge, StateMark, type State } from "./marks";
export { ContextMenu, Menu, type MenuEntry } from "./Menu";
export { EmptyState, ErrorCard, Fold, type ErrorCardProps } from "./notices";
export { Examples } from "./Examples";
export { ExternalLink } from "./ExternalLink";
export { own } from "./own";
export { Popover } from "./Popover";
export { Meter, ProgressBar, Skeleton, Waiting } from "./progress";
export { placeAfter, useReorder, type Reorder } from "./reorder";
export { SecretField, type SecretFieldProps } from "./SecretField";
export { Select, type SelectOption } from "./Select";
export {
    isRemapped,
    keysFrom,
    keysOf,
    remap,
    runShortcut,
    useShortcut,
    useShortcuts,
    type Shortcut,
} from "./shortcuts";
export { SplitPane } from "./SplitPane";
export { Switch } from "./Switch";
export { SuggestField, type SuggestFieldProps, type Suggestion } from "./SuggestField";
export { Table, type Column } from "./Table";
export { Tabs, type Tab } from "./Tabs";
export { Duration, RelativeTime, dayHeading, formatDuration, formatRelative, isoOf, offsetMinutes } from "./time";
export { problemText, type ProblemWords } from "./problem";
export { Toasts, toast, toastProblem, type Toast } from "./toast";
export { InlineCode } from "./InlineCode";
export { Tooltip, TooltipProvider } from "./Tooltip";
export { VirtualList, type VirtualListHandle } from "./VirtualList";
export { saveBytes, saveText } from "./saveText";
export { ComboboxContent, useCombobox } from "./combobox";
export { WordDiff } from "./WordDiff";
export { applyAppearance, setAppearance, tryLook, useAppearance, type Appearance, type Mode } from "./theme/appearance";
export { contrast, hexOf, hexOfOklch, parseColour } from "./theme/colour";
export {
    GROUNDS,
    SIX,
    checkSide,
    declarations,
    derive,
    fixed,
    fixedAll,
    weakest,
    type Checked,
    type ColourName,
    type Colours,
    type Sides,
    type Strength,
} from "./theme/derive";
export { asFile, complete, cssColour, themeOf, type Resolved, type ThemeFile } from "./theme/resolve";
export { FIRST as FIRST_THEME, THEMES, builtIn, type BuiltIn } from "./theme/themes";
export { Inspector, InspectorContext } from "./inspector";
export { currentPath, goBack, goForward, navigate, usePath } from "./location";
export { Picture, type PictureProps } from "./Picture";
export { Page, Properties, Section, type PageProps, type Property } from "./Page";
export { RadioGroup, type RadioOption } from "./RadioGroup";
export { Row, Rows, type RowProps } from "./Rows";
export { count, dollarsOf, formatBytes } from "./quantity";
export { AsyncBoundary, type AsyncBoundaryProps } from "./AsyncBoundary";
export { diffLines, parseUnified, withContext, type DiffLine, type DiffPiece } from "./diff";
export { pieces, type Piece } from "./pieces";
export { plainText, sentence } from "./plainText";
export { tableOfText } from "./rows";
export { writtenOut } from "./unseen";
