import type { ComponentChildren, JSX } from 'preact'
import { useState } from 'preact/hooks'

import { call } from '../../api/client.ts'
import { forget, invalidate, useGet } from '../../api/resource.ts'
import { Button } from '../../kit/controls.tsx'
import { KeyValues } from '../../kit/data.tsx'
import { FailureNote, Note, Progress, Show, StoredReason } from '../../kit/feedback.tsx'
import { linkTo } from '../../kit/location.ts'
import { Confirm } from '../../kit/overlays.tsx'
import { now, Time } from '../../kit/time.tsx'
import { useLive } from '../../kit/use-live.ts'
import { t } from '../../language/t.ts'
import { filterText } from './filter-text.ts'
import { RefreshDialog } from './refresh-dialog.tsx'
import { CourseText, NextRefresh } from './refresh-state.tsx'
import { everyText } from './refresh.ts'
import type { Refresh } from './refresh.ts'
import { refusedToChange, tableLink } from './sources.ts'
import type { TableView } from './sources.ts'
import { useRefresh } from './use-refresh.ts'

/** The pause between two readings while a refresh runs or is due. */
const FOLLOW_MS = 2_000

/** From where the rows of a table come, and how its refreshes go. */
export function RefreshTab({ view: { source, info } }: { readonly view: TableView }): JSX.Element {
  const path = { id: source.id, table: info.name }
  const refused = refusedToChange()
  const stored = useGet('/dataSources/{id}/tables/{table}/refresh', refused === undefined ? { path } : null)
  const [dialog, setDialog] = useState<'edit' | 'stop' | null>(null)
  const refreshing = useRefresh(source.id)
  const state = stored.data?.state ?? info.refresh
  const dueAt = state?.nextRefreshAt ?? null
  const isAwaited = state?.isRefreshing === true || (dueAt !== null && Date.parse(dueAt) <= now.value)
  useLive(() => invalidate(`/dataSources/${source.id}/`), isAwaited, FOLLOW_MS)
  return (
    <div class="pad col spread">
      {refreshing.table !== null && (
        <div class="row">
          <Progress value={null} label={t('data.refresh.going')} />
          <Button small onClick={refreshing.cancel}>
            {t('kit.cancel')}
          </Button>
        </div>
      )}
      {refreshing.failure && <FailureNote failure={refreshing.failure} what={t('data.refresh.failed')} />}
      {refused === undefined && (
        <Show resource={stored} what={t('data.refresh.unread')}>
          {(refresh) => <Origin refresh={refresh} />}
        </Show>
      )}
      {refused !== undefined && state && <CourseText state={state} />}
      <div class="row wrap">
        <Button
          icon="refresh"
          refused={refused}
          busy={refreshing.table !== null}
          action={() => refreshing.start(info.name)}
        >
          {t('data.refresh.now')}
        </Button>
        <Button icon="edit" refused={refused} onClick={() => setDialog('edit')}>
          {t('data.edit')}
        </Button>
        <Button icon="stop" refused={refused} onClick={() => setDialog('stop')}>
          {t('data.refresh.stop')}
        </Button>
      </div>
      {dialog === 'edit' && (
        <RefreshDialog source={source} table={info.name} onClose={() => setDialog(null)} />
      )}
      {dialog === 'stop' && (
        <Confirm
          title={t('data.refresh.stop')}
          effect={t('data.refresh.stopEffect', { name: info.name })}
          submit={t('data.refresh.stop')}
          onConfirm={async () => {
            await call('delete', '/dataSources/{id}/tables/{table}/refresh', { path, ifMatch: stored.etag })
            forget(`/dataSources/${source.id}/tables/${encodeURIComponent(info.name)}/refresh`)
            invalidate(`/dataSources/${source.id}/`)
          }}
          onClose={() => setDialog(null)}
        />
      )}
    </div>
  )
}

function Origin({ refresh }: { readonly refresh: Refresh }): JSX.Element {
  const { from, every, state, error } = refresh
  const isForeign = from.kind === 'foreign'
  const columns = isForeign ? from.columns : from.columns.map(({ name }) => name)
  const rows: readonly (readonly [ComponentChildren, ComponentChildren])[] = [
    [t('data.refresh.course'), <CourseText key="course" state={state} />],
    [t('data.refresh.origin'), <OriginLink key="origin" from={from} />],
    [t('data.columns'), columns.join(', ')],
    ...(isForeign ? [[t('data.filter'), filterText(from.filter)] as const] : []),
    [t('data.refresh.when'), everyText(every)],
    [t('data.refresh.next'), <NextRefresh key="next" state={state} />],
  ]
  return (
    <>
      {error && state.failedAt !== null && (
        <Note kind="warning">
          <b>
            {t('data.refresh.failures', { count: state.failures })} <Time at={state.failedAt} />
          </b>
          <StoredReason reason={error.detail} />
          <div>{t('data.refresh.oldRows')}</div>
        </Note>
      )}
      <KeyValues rows={rows} />
    </>
  )
}

/** The table of a database, or the file of a script. */
function OriginLink({ from }: { readonly from: Refresh['from'] }): JSX.Element {
  const sources = useGet('/dataSources', {}).data?.items
  const scripts = useGet('/scripts', from.kind === 'script' ? {} : null).data
  if (from.kind === 'script')
    return (
      <a href={linkTo(`scripts/${from.scriptId}`)}>
        {scripts?.find(({ id }) => id === from.scriptId)?.name ?? `#${from.scriptId}`} / {from.output}
      </a>
    )
  return (
    <a href={tableLink(from.dataSourceId, from.table)}>
      {sources?.find(({ id }) => id === from.dataSourceId)?.name ?? `#${from.dataSourceId}`} / {from.table}
    </a>
  )
}
