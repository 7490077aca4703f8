import { user } from '../../api/session.ts'
import { t } from '../../language/t.ts'

type Role = NonNullable<typeof user.value>['role']

/** The roles that may change scripts, and those that may order runs and change configurations. */
export const KEEPERS: readonly Role[] = ['administrator']
export const OPERATORS: readonly Role[] = ['administrator', 'Data_Editor']
export const RUNNERS: readonly Role[] = ['administrator', 'editor', 'Data_Editor']

/** Why the user's role does not allow an action; undefined when it does. */
export function refusedUnless(roles: readonly Role[]): string | undefined {
  const role = user.value?.role
  if (role !== undefined && roles.includes(role)) return undefined
  return t('scripts.needsRole', { roles: roles.map((one) => t(`scripts.role.${one}`)).join(', ') })
}
