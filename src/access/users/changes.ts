import type { Role } from '../../context.ts'
import type { Fault } from '../../lib/errors.ts'

/** The type of an account: local, of a directory, or shared by several people. */
export const USER_TYPES = ['local', 'LDAP_MANAGED', 'shared'] as const
export type UserType = (typeof USER_TYPES)[number]

/** A property that an administrator gave a user. */
export type UserProperty = { readonly key: string; readonly value: string }

/** The fields of a user that can be changed. */
export type UserFields = {
  readonly username: string
  readonly role: Role
  readonly type: UserType
  readonly fullname: string
  readonly email: string
  readonly phone: string
  readonly startDashboardId: number | null
  readonly language: string
  readonly timeZone: string
  readonly darkMode: boolean
  readonly properties: readonly UserProperty[]
}
export type Field = keyof UserFields | 'disabled' | 'password' | 'mfa' | 'preferences'

/** The defaults of a new user. The time zone is the service's zone. */
export const NEW_USER = {
  type: 'local',
  fullname: '',
  email: '',
  phone: '',
  startDashboardId: null,
  language: 'en',
  darkMode: false,
  properties: [],
} as const

/** The fields that users may change themselves; administrators may change all (specification: Users and user groups). */
const OWN: Readonly<Record<UserType, readonly Field[]>> = {
  local: [
    'fullname',
    'email',
    'phone',
    'startDashboardId',
    'language',
    'timeZone',
    'password',
    'mfa',
    'preferences',
  ],
  LDAP_MANAGED: ['startDashboardId', 'language', 'timeZone', 'preferences'],
  shared: [],
}

/** Whether users of a type may change this of themselves. */
export function isOwn(type: UserType, field: Field): boolean {
  return OWN[type].includes(field)
}

export type Asker = { readonly isAdministrator: boolean; readonly isSelf: boolean }

/** Which of these fields the asker may not change of a user of a type. */
export function forbiddenFields(asker: Asker, type: UserType, changed: readonly Field[]): readonly Field[] {
  if (asker.isAdministrator) return []
  return changed.filter((field) => !(asker.isSelf && isOwn(type, field)))
}

/** The impossible part of a change: a type that comes from or goes to a directory, or a password or `disabled` of
 * a user of a directory. */
export function impossibleFields(
  before: UserType,
  after: UserType,
  changed: readonly Field[],
): readonly Fault[] {
  const faults: Fault[] = []
  if (before !== after && (before === 'LDAP_MANAGED' || after === 'LDAP_MANAGED'))
    faults.push({ pointer: '/type', message: 'cannot be changed from or to LDAP_MANAGED' })
  for (const field of ['password', 'disabled'] as const)
    if (after === 'LDAP_MANAGED' && changed.includes(field))
      faults.push({ pointer: `/${field}`, message: 'is managed by the directory' })
  return faults
}

/** The fields that a body names and that differ from what is; a password that is named counts as changed. */
export function changedFields(
  before: UserFields & { readonly disabled: boolean },
  body: { readonly [Name in Field]?: unknown },
): readonly Field[] {
  const names = Object.keys(before) as (keyof typeof before)[]
  const changed = names.filter((name) => body[name] !== undefined && !isSame(body[name], before[name]))
  return body.password === undefined ? changed : [...changed, 'password']
}

function isSame(one: unknown, another: unknown): boolean {
  return one === another || (Array.isArray(one) && JSON.stringify(one) === JSON.stringify(another))
}
