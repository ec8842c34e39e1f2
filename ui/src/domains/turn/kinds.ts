// What can be looked at, by its media type.

/** Pictures that every window draws. */
export const isPicture = (type: string): boolean => /^image\/(png|jpeg|gif|webp)$/.test(type);

export const isText = (type: string): boolean =>
    /^text\/|^application\/(json|xml|yaml|toml|javascript|x-sh)/.test(type);
