import type { JSX } from 'preact'

import { call } from '../../api/client.ts'
import { invalidate, useGet } from '../../api/resource.ts'
import { background } from '../../kit/background.ts'
import { Button } from '../../kit/controls.tsx'
import { Card } from '../../kit/data.tsx'
import { Show } from '../../kit/feedback.tsx'
import { Time } from '../../kit/time.tsx'
import { toast } from '../../kit/toasts.tsx'
import { t } from '../../language/t.ts'
import type { Query, Version } from './query.ts'

/** The published versions, each of which can become the draft again. */
export function VersionsCard({
  query,
  onRestored,
}: {
  readonly query: Query
  readonly onRestored: (query: Query) => void
}): JSX.Element {
  const path = { id: query.id }
  const versions = useGet('/dataQueries/{id}/versions', { path })
  const restore = async ({ number }: Version): Promise<void> => {
    const restored = await call('post', '/dataQueries/{id}/versions/{number}/restore', {
      path: { ...path, number },
    })
    invalidate(`/dataQueries/${query.id}`)
    onRestored(restored)
    toast({ text: t('queries.restored', { number }) })
  }
  return (
    <Card title={t('queries.versions')}>
      <div class="pad">
        <Show resource={versions}>
          {({ items }) =>
            items.length === 0 ? (
              <p class="quiet">{t('queries.noVersions')}</p>
            ) : (
              <ul class="col">
                {items.map((version) => (
                  <li key={version.number} class="row wrap">
                    <span class="grow">
                      <b>{t('queries.version', { number: version.number })}</b>{' '}
                      <span class="faint">
                        <Time at={version.publishedAt} />
                      </span>
                      {version.description && <div class="path">{version.description}</div>}
                    </span>
                    <Button
                      small
                      aria-label={t('queries.restoreName', { number: version.number })}
                      onClick={() => background(restore(version))}
                    >
                      {t('queries.restore')}
                    </Button>
                  </li>
                ))}
              </ul>
            )
          }
        </Show>
      </div>
    </Card>
  )
}
