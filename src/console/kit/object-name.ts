import { t } from '../language/t.ts'

/** The root group exists on every service. */
export const ROOT_ID = 1

/** The name of an object; the root has a name in the user's language until it is renamed. */
export function nameOf({
  id,
  name = '',
}: {
  readonly id: number
  readonly name?: string | undefined
}): string {
  return id === ROOT_ID && name === 'root' ? t('kit.root') : name
}
