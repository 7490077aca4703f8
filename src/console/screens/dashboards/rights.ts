import { user } from '../../api/session.ts'
import { t } from '../../language/t.ts'

/** Why the user cannot make dashboards; undefined when he can. */
export function refusedMaking(): string | undefined {
  return isEditor() ? undefined : t('boards.needsEditor')
}

/** Why the user cannot send dashboards by mail; undefined when he can. */
export function refusedMailing(): string | undefined {
  return isEditor() ? undefined : t('boards.mailNeedsEditor')
}

function isEditor(): boolean {
  const role = user.value?.role
  return role === 'administrator' || role === 'editor'
}

/** Why the user cannot change something; undefined when he can. */
export function refusedWriting({
  name,
  permissions,
}: {
  readonly name: string
  readonly permissions: { readonly write: boolean }
}): string | undefined {
  return permissions.write ? undefined : t('boards.needsWrite', { name })
}
