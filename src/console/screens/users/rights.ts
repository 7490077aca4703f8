import type { Answer } from '../../api/client.ts'
import { language, t } from '../../language/t.ts'

export type User = Answer<'/users'>[number]
export type Explanation = Answer<'/{objectType}/{objectId}/permissions/explain'>
export type Grant = Explanation['grants'][number]
export type Right = keyof Explanation['permissions']

/** An object whose rights are explained. */
export type Place = { readonly type: Grant['object']['type']; readonly id: number; readonly name: string }

export const RIGHTS = ['read', 'write', 'maintain', 'execute'] as const satisfies readonly Right[]

/** The name of a grant's subject, such as "Group Pump crew". */
export function subjectText({
  subjectType,
  subjectName,
}: Pick<Grant, 'subjectType' | 'subjectName'>): string {
  return t(`users.subject.${subjectType}`, { name: subjectName })
}

/** The name of an object; the root group has none of its own. */
export function objectText({ id, name }: { readonly id: number; readonly name: string }): string {
  return id === 1 ? t('kit.root') : name
}

/** The rights of a grant as verbs, such as "see, change and deliver to". */
export function rightsText(rights: Readonly<Record<Right, boolean>>): string {
  const verbs = RIGHTS.filter((right) => rights[right]).map((right) => t(`users.verb.${right}`))
  return new Intl.ListFormat(language.value, { type: 'conjunction' }).format(verbs)
}

/** The rights of a user on an object, in one sentence. */
export function verdictSentence(
  name: string,
  object: string,
  permissions: Explanation['permissions'],
): string {
  if (RIGHTS.every((right) => permissions[right])) return t('users.mayAll', { name, object })
  const rights = rightsText(permissions)
  return rights === '' ? t('users.mayNothing', { name, object }) : t('users.may', { name, object, rights })
}

/** A grant and the rights that the user has because of it. */
export type Link = { readonly grant: Grant; readonly decides: readonly Right[] }

/** The grants from the root down. A right that several grants give is decided by the nearest one;
 * the right to write decides maintenance where no grant gives maintenance itself. */
export function chainOf({ user, permissions, grants }: Explanation): readonly Link[] {
  const deciding = new Map<Grant, Right[]>()
  for (const right of user.role === 'administrator' ? [] : RIGHTS) {
    if (!permissions[right]) continue
    const grant =
      grants.find((one) => one[right]) ??
      (right === 'maintain' ? grants.find(({ write }) => write) : undefined)
    if (grant) deciding.set(grant, [...(deciding.get(grant) ?? []), right])
  }
  return grants.map((grant) => ({ grant, decides: deciding.get(grant) ?? [] })).toReversed()
}

/** How many users there are, how many of them are administrators and how many are disabled. */
export function usersSentence(
  users: readonly { readonly role: string; readonly disabled: boolean; readonly type: string }[],
): string {
  const administrators = users.filter(({ role }) => role === 'administrator').length
  const directory = users.filter(({ type }) => type === 'LDAP_MANAGED').length
  const disabled = users.filter(({ disabled: isOff }) => isOff).length
  return [
    t('users.count', { count: users.length }),
    t('users.countAdministrators', { count: administrators }),
    directory > 0 ? t('users.countDirectory', { count: directory }) : '',
    disabled > 0 ? t('users.countDisabled', { count: disabled }) : '',
  ]
    .filter(Boolean)
    .join(' ')
}
