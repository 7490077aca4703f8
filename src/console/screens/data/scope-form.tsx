import type { JSX } from 'preact'
import { useState } from 'preact/hooks'

import { call } from '../../api/client.ts'
import type { Call } from '../../api/client.ts'
import type { Failure } from '../../api/failure.ts'
import { invalidate, useGet } from '../../api/resource.ts'
import { Button, Field, Segments, TextField } from '../../kit/controls.tsx'
import { Note } from '../../kit/feedback.tsx'
import { FormDialog } from '../../kit/overlays.tsx'
import { toast } from '../../kit/toasts.ts'
import { t } from '../../language/t.ts'
import { Chooser } from './chooser.tsx'
import { FilterRows } from './filter-rows.tsx'
import { NO_CONDITIONS } from './filter.ts'
import { bodyOf, commonColumns, draftOf, refusalOf, ROLES } from './scope.ts'
import type { Scope, ScopeDraft } from './scope.ts'
import type { ColumnInfo, Source } from './sources.ts'

type Props = { readonly source: Source; readonly scope?: Scope; readonly onClose: () => void }
type PartProps = {
  readonly draft: ScopeDraft
  readonly change: (part: Partial<ScopeDraft>) => void
  readonly failure: Failure | null
  readonly columns: readonly ColumnInfo[]
}

/** Creates a scope, or changes one. Another user's change meanwhile is not overwritten. */
export function ScopeForm({ source, scope, onClose }: Props): JSX.Element {
  const path = { id: source.id }
  const stored = useGet(
    '/dataSources/{id}/scopes/{scopeId}',
    scope ? { path: { ...path, scopeId: scope.id } } : null,
  )
  const columns = useGet('/dataSources/{id}/columns', { path })
  const [draft, setDraft] = useState(() => draftOf(scope))
  const change = (part: Partial<ScopeDraft>): void => setDraft({ ...draft, ...part })
  const refusal = refusalOf(draft)
  const save = async (): Promise<void> => {
    const body = bodyOf(draft)
    if (!scope) await call('post', '/dataSources/{id}/scopes', { path, body } as Call<ScopesRoute, 'post'>)
    else {
      const request = { path: { ...path, scopeId: scope.id }, body, ifMatch: stored.etag }
      await call('put', '/dataSources/{id}/scopes/{scopeId}', request as Call<ScopeRoute, 'put'>)
    }
    invalidate(`/dataSources/${source.id}/`)
    toast({ text: t('data.saved', { name: draft.name }) })
  }
  return (
    <FormDialog
      title={scope ? t('data.editName', { name: scope.name }) : t('data.newScope')}
      submit={t('data.save')}
      wide
      refused={refusal === null ? undefined : t(refusal)}
      onSubmit={save}
      onClose={onClose}
    >
      {(failure) => {
        const part = { draft, change, failure, columns: columns.data ?? [] }
        return (
          <div class="col spread">
            <Reach {...part} />
            <Subjects {...part} />
            <RowsAndColumns {...part} />
          </div>
        )
      }}
    </FormDialog>
  )
}

type ScopesRoute = '/dataSources/{id}/scopes'
type ScopeRoute = '/dataSources/{id}/scopes/{scopeId}'
const textChoices = (texts: Iterable<string>) => [...new Set(texts)].map((value) => ({ value, text: value }))

function Reach({ draft, change, failure, columns }: PartProps): JSX.Element {
  return (
    <div class="form-grid">
      <TextField
        label={t('data.name')}
        value={draft.name}
        onValue={(name) => change({ name })}
        error={failure?.at('/name')}
        autofocus
      />
      <Chooser
        label={t('data.tab.tables')}
        choices={textChoices(columns.map(({ table }) => table))}
        chosen={draft.tables}
        onChange={(tables) => change({ tables })}
        error={failure?.at('/tables')}
      />
      <Field label={t('data.access')} hint={t(`data.scopeAccessText.${draft.access}`)}>
        {() => (
          <div>
            <Segments
              label={t('data.access')}
              value={draft.access}
              onChange={(access) => change({ access })}
              options={(['read', 'edit'] as const).map((value) => ({
                value,
                text: t(`data.scopeAccess.${value}`),
              }))}
            />
          </div>
        )}
      </Field>
    </div>
  )
}

function Subjects({ draft, change, failure }: PartProps): JSX.Element {
  const users = useGet('/users', {})
  const groups = useGet('/userGroups', {})
  return (
    <fieldset>
      <legend>{t('data.subjects')}</legend>
      <div class="form-grid">
        <Chooser
          label={t('data.roles')}
          choices={ROLES.map((value) => ({ value, text: t(`data.role.${value}`) }))}
          chosen={draft.roles}
          onChange={(roles) => change({ roles })}
          error={failure?.at('/subjects')}
        />
        <Chooser
          label={t('data.userGroups')}
          choices={(groups.data ?? []).map(({ id, name }) => ({ value: id, text: name }))}
          chosen={draft.userGroups}
          onChange={(userGroups) => change({ userGroups })}
        />
        <Chooser
          label={t('data.users')}
          choices={(users.data ?? []).map(({ id, username, fullname }) => ({
            value: id,
            text: fullname || username,
          }))}
          chosen={draft.users}
          onChange={(chosen) => change({ users: chosen })}
        />
      </div>
    </fieldset>
  )
}

function RowsAndColumns({ draft, change, failure, columns }: PartProps): JSX.Element {
  const own = columns.filter(({ table }) => draft.tables.includes(table))
  return (
    <>
      <fieldset class="col">
        <legend>{t('data.scopeRows')}</legend>
        <p class="label">
          {t('data.scopeRowsText')} <code>{'${user.id}'}</code> <code>{'${user.username}'}</code>{' '}
          <code>{'${user.properties.region}'}</code>
        </p>
        {draft.conditions === null ? (
          <Note
            action={
              <Button small onClick={() => change({ conditions: NO_CONDITIONS })}>
                {t('data.clearFilter')}
              </Button>
            }
          >
            {t('data.filterByHand')}
          </Note>
        ) : (
          <FilterRows
            columns={commonColumns(columns, draft.tables)}
            conditions={draft.conditions}
            onChange={(conditions) => change({ conditions })}
            failure={failure}
            pointer="/filter"
          />
        )}
      </fieldset>
      <Chooser
        label={t('data.hiddenColumns')}
        hint={t('data.hiddenColumnsHint')}
        choices={textChoices(own.map(({ name }) => name))}
        chosen={draft.hiddenColumns}
        onChange={(hiddenColumns) => change({ hiddenColumns })}
        error={failure?.at('/hiddenColumns')}
      />
    </>
  )
}
