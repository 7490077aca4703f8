import { user } from '../../api/session.ts'
import { t } from '../../language/t.ts'

/** Why the user cannot make dashboards; undefined if the user can. */
export function refusedMaking(): string | undefined {
  return isEditor() ? undefined : t('boards.needsEditor')
}

/** Why the user cannot send dashboards by mail; undefined if the user can. */
export function refusedMailing(): string | undefined {
  return isEditor() ? undefined : t('boards.mailNeedsEditor')
}

function isEditor(): boolean {
  const role = user.value?.role
  return role === 'administrator' || role === 'editor'
}

/** Why the user cannot change a dashboard or a group; undefined if the user can. */
export function refusedWriting({
  name,
  permissions,
}: {
  readonly name: string
  readonly permissions: { readonly write: boolean }
}): string | undefined {
  return permissions.write ? undefined : t('boards.needsWrite', { name })
}
