export const ROLES = ['administrator', 'editor', 'collector', 'Data_Editor', 'dashboard_viewer'] as const

/** The role of a user in the installation. */
export type Role = (typeof ROLES)[number]
