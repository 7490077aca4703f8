import { user } from '../../api/session.ts'
import { t } from '../../language/t.ts'

/** Why the user cannot change content; undefined for an administrator. */
export function refusedToChange(): string | undefined {
  return user.value?.role === 'administrator' ? undefined : t('content.needsAdministrator')
}
