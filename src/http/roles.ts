// The roles that the policies of several rooms name.

export const ADMINISTRATOR = ['administrator'] as const
export const EDITORS = ['administrator', 'editor'] as const
/** The roles that may deliver values. */
export const SENDERS = ['collector', 'administrator'] as const
