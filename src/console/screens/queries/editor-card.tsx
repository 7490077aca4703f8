import type { JSX } from 'preact'

import type { Failure } from '../../api/failure.ts'
import { useGet } from '../../api/resource.ts'
import { user } from '../../api/session.ts'
import { Check, itemOptions, SelectField, TextField } from '../../kit/controls.tsx'
import { Card } from '../../kit/data.tsx'
import { Note } from '../../kit/feedback.tsx'
import { t } from '../../language/t.ts'
import type { Dependents } from './dependents.tsx'
import { groupOptions } from './groups.ts'
import type { Group } from './groups.ts'
import type { Query } from './query.ts'
import { SqlEditor } from './sql-editor.tsx'
import type { EditedDraft } from './use-draft.ts'

type Props = {
  /** The data query as it is stored; undefined for a new one. */
  readonly query: Query | undefined
  readonly edited: EditedDraft
  readonly failure: Failure | null
  readonly groups: readonly Group[]
  readonly dependents: Dependents
  readonly onRun: () => void
  readonly onCancel: () => void
}

/** The name, the data source and the text. A text with faults is stored all the same. */
export function EditorCard(props: Props): JSX.Element {
  const { edited, failure, groups, onRun, onCancel } = props
  const { draft, change, isChanged, revision, base } = edited
  const errors = isChanged ? [] : (base.object?.errors ?? [])
  const renames = renamesOf(props)
  const sources = useGet('/dataSources', {})
  const columns = useGet(
    '/dataSources/{id}/columns',
    draft.dataSourceId === '' ? null : { path: { id: Number(draft.dataSourceId) } },
  )
  const source = sources.data?.items.find(({ id }) => String(id) === draft.dataSourceId)
  const tables = Map.groupBy(columns.data ?? [], ({ table }) => table)
  const names = {
    dialect: source?.type === 'mysql' ? ('mysql' as const) : ('postgresql' as const),
    tables: Object.fromEntries([...tables].map(([table, own]) => [table, own.map(({ name }) => name)])),
    parameters: draft.parameters.map(({ name }) => name),
  }
  return (
    <Card>
      <div class="pad col spread">
        <div class="form-grid">
          <TextField
            label={t('data.name')}
            value={draft.name}
            onValue={(name) => change({ name })}
            error={failure?.at('/name')}
            hint={renames > 0 && t('queries.renames', { count: renames })}
          />
          <SelectField
            label={t('queries.source')}
            value={draft.dataSourceId}
            onValue={(dataSourceId) => change({ dataSourceId })}
            options={itemOptions(sources.data?.items ?? [], t('data.choose'))}
          />
          <TextField
            label={t('data.description')}
            value={draft.description}
            onValue={(description) => change({ description })}
          />
          {groups.length > 0 && (
            <SelectField
              label={t('queries.inGroup')}
              value={draft.groupId === null ? '' : String(draft.groupId)}
              onValue={(group) => change({ groupId: group === '' ? null : Number(group) })}
              options={groupOptions(groups, t('queries.noGroup'))}
              error={failure?.at('/groupId')}
            />
          )}
        </div>
        <SqlEditor
          key={revision}
          label={t('queries.text')}
          text={draft.text}
          names={names}
          onText={edited.write}
          onRun={onRun}
          onCancel={onCancel}
        />
        {errors.map(({ line, message, phase }) => (
          <Note key={`${phase} ${line} ${message}`} kind="warning">
            <b>{line === null ? t('queries.fault') : t('queries.line', { line })}:</b>{' '}
            <span lang="en">{message}</span>
            <div>{t('queries.stored')}</div>
          </Note>
        ))}
        <Escaping edited={edited} failure={failure} />
      </div>
    </Card>
  )
}

/** Whether values become SQL as they are, which administrators alone choose. */
function Escaping({ edited, failure }: Pick<Props, 'edited' | 'failure'>): JSX.Element | null {
  const { draft, change } = edited
  const isLegacy = draft.escaping === 'legacy'
  const isAdministrator = user.value?.role === 'administrator'
  if (!isLegacy && !isAdministrator) return null
  const refused = failure?.at('/escaping')
  return (
    <>
      {isAdministrator && (
        <Check
          label={t('queries.legacy')}
          checked={isLegacy}
          onChange={(checked) => change({ escaping: checked ? 'legacy' : 'bind' })}
        />
      )}
      {isLegacy && <Note kind="warning">{t('queries.legacyRisk')}</Note>}
      {refused !== undefined && (
        <Note kind="minor" role="alert">
          <span lang="en">{refused}</span>
        </Note>
      )}
    </>
  )
}

/** How many data queries refer to this one by a name that the draft changes. */
function renamesOf({ query, edited, dependents }: Props): number {
  const isRenamed = query !== undefined && edited.draft.name !== query.name
  return isRenamed ? (dependents.data?.items.length ?? 0) : 0
}
