import type { JSX } from 'preact'

import { Button } from '../../kit/controls.tsx'
import { KeyValues } from '../../kit/data.tsx'
import { durationText, msOfDuration, Time } from '../../kit/time.tsx'
import { t } from '../../language/t.ts'
import { hasFiles, placeOf, refusedToChange } from './sources.ts'
import type { Source } from './sources.ts'

/** How a data source is set. Its password is never shown. */
export function SettingsTab({
  source,
  onEdit,
}: {
  readonly source: Source
  readonly onEdit: () => void
}): JSX.Element {
  return (
    <div class="pad col spread">
      <KeyValues
        rows={[
          [t('data.description'), source.description || '–'],
          ...(source.comment === null ? [] : ([[t('data.comment'), source.comment]] as const)),
          [t('data.type'), t(`data.type.${source.type}`)],
          ...connectionRows(source),
          [t('data.timeout'), timeoutText(source.timeout)],
          [t('data.changed'), <Time key="changed" at={source.updatedAt} />],
        ]}
      />
      <div>
        <Button icon="edit" refused={refusedToChange()} onClick={onEdit}>
          {t('data.edit')}
        </Button>
      </div>
    </div>
  )
}

function connectionRows(source: Source): readonly (readonly [string, string])[] {
  const { connection, readOnly, scopeMode } = source
  if (connection === null || hasFiles(source)) return []
  return [
    [t('data.place'), placeOf(source)],
    ...(connection.schema === null ? [] : ([[t('data.schema'), connection.schema]] as const)),
    [t('data.user'), connection.user],
    [t('login.password'), t(connection.passwordSet ? 'data.passwordSet' : 'data.passwordNone')],
    [t('data.tls'), t(`data.tls.${connection.tls}`)],
    [t('data.maxConnections'), String(connection.maxConnections)],
    [t('data.access'), t(readOnly ? 'data.accessRead' : 'data.accessWrite')],
    [t('data.scopeMode'), t(`data.scopeMode.${scopeMode}`)],
  ]
}

function timeoutText(timeout: string): string {
  const ms = msOfDuration(timeout)
  return ms === 0 ? t('data.noTimeout') : durationText(ms ?? 0)
}
