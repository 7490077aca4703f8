import type { JSX } from 'preact'
import { useState } from 'preact/hooks'

import { callVersioned } from '../../api/client.ts'
import { invalidate, useGet } from '../../api/resource.ts'
import { background, useAction } from '../../kit/background.ts'
import { Button } from '../../kit/controls.tsx'
import { Card } from '../../kit/data.tsx'
import { Show } from '../../kit/feedback.tsx'
import { Time } from '../../kit/time.tsx'
import { toast } from '../../kit/toasts.ts'
import type { Version as Stored } from '../../kit/versions.ts'
import { t } from '../../language/t.ts'
import type { DifferenceDialog } from './difference-dialog.tsx'
import type { Query, Version } from './query.ts'

type Compare = { readonly chosen: number; readonly Dialog: typeof DifferenceDialog }

/** The published versions, each of which can be compared, and become the draft again. */
export function VersionsCard({
  query,
  onRestored,
}: {
  readonly query: Query
  /** @returns how the former draft is brought back into the editor */
  readonly onRestored: (version: Stored<Query>) => () => void
}): JSX.Element {
  const path = { id: query.id }
  const versions = useGet('/dataQueries/{id}/versions', { path })
  const [compared, compare] = useState<Compare | null>(null)
  const open = async (chosen: number): Promise<void> => {
    const { DifferenceDialog: Dialog } = await import('./difference-dialog.tsx')
    compare({ chosen, Dialog })
  }
  const restore = useAction(async ({ number }: Version) => {
    const { data, etag } = await callVersioned('post', '/dataQueries/{id}/versions/{number}/restore', {
      path: { ...path, number },
    })
    invalidate(`/dataQueries/${query.id}`)
    const undo = onRestored({ object: data, etag })
    toast({ text: t('queries.restored', { number }), undo })
  })
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
                  <VersionRow
                    key={version.number}
                    version={version}
                    onCompare={() => background(open(version.number))}
                    isBusy={restore.isBusy}
                    onRestore={() => restore.start(version)}
                  />
                ))}
              </ul>
            )
          }
        </Show>
      </div>
      {compared && versions.data && (
        <compared.Dialog
          versions={versions.data.items}
          draft={query}
          chosen={compared.chosen}
          onClose={() => compare(null)}
        />
      )}
    </Card>
  )
}

function VersionRow({
  version: { number, publishedAt, description },
  isBusy,
  onCompare,
  onRestore,
}: {
  readonly version: Version
  readonly isBusy: boolean
  readonly onCompare: () => void
  readonly onRestore: () => void
}): JSX.Element {
  return (
    <li class="row wrap">
      <span class="grow">
        <b>{t('queries.version', { number })}</b>{' '}
        <span class="faint">
          <Time at={publishedAt} />
        </span>
      </span>
      <Button small aria-label={t('queries.compareName', { number })} onClick={onCompare}>
        {t('queries.compare')}
      </Button>
      <Button small busy={isBusy} aria-label={t('queries.restoreName', { number })} onClick={onRestore}>
        {t('queries.restore')}
      </Button>
      {description && <div class="path version-note">{description}</div>}
    </li>
  )
}
