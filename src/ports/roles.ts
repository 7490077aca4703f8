export const ROLES = ['administrator', 'editor', 'collector', 'Data_Editor', 'dashboard_viewer'] as const

/** What a user does at all. */
export type Role = (typeof ROLES)[number]
