import type { JSX } from 'preact'
import { useState } from 'preact/hooks'

import { call } from '../../api/client.ts'
import { invalidate, useGet } from '../../api/resource.ts'
import { Button, IconButton } from '../../kit/controls.tsx'
import { Table } from '../../kit/data.tsx'
import { Empty, Note, Show } from '../../kit/feedback.tsx'
import { Confirm } from '../../kit/overlays.tsx'
import { t } from '../../language/t.ts'
import { filterText } from './filter-text.ts'
import { ScopeForm } from './scope-form.tsx'
import { ScopePreview } from './scope-preview.tsx'
import type { Scope } from './scope.ts'
import { refusedToChange } from './sources.ts'
import type { Source } from './sources.ts'

/** The scopes of a data source: the rows and columns that users see, and a preview for one user. */
export function ScopesTab({ source }: { readonly source: Source }): JSX.Element {
  const isAllowed = refusedToChange() === undefined
  const scopes = useGet('/dataSources/{id}/scopes', isAllowed ? { path: { id: source.id } } : null)
  const [edited, edit] = useState<Scope | 'new' | null>(null)
  const [doomed, doom] = useState<Scope | null>(null)
  if (!isAllowed)
    return (
      <div class="pad">
        <Note icon="lock">{refusedToChange()}</Note>
      </div>
    )
  const add = (
    <Button small icon="plus" onClick={() => edit('new')}>
      {t('data.newScope')}
    </Button>
  )
  return (
    <>
      <Show resource={scopes} what={t('data.failedScopes')}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty title={t('data.noScopes')} text={t('data.noScopesText')} action={add} />
          ) : (
            <>
              <div class="toolbar">{add}</div>
              <ScopeTable scopes={items} onEdit={edit} onDelete={doom} />
            </>
          )
        }
      </Show>
      <ScopePreview source={source} />
      {edited && (
        <ScopeForm
          source={source}
          {...(edited === 'new' ? {} : { scope: edited })}
          onClose={() => edit(null)}
        />
      )}
      {doomed && (
        <Confirm
          title={t('data.deleteName', { name: doomed.name })}
          effect={t('data.deleteScopeEffect', { tables: doomed.tables.join(', ') })}
          submit={t('data.delete')}
          onConfirm={async () => {
            const path = { id: source.id, scopeId: doomed.id }
            await call('delete', '/dataSources/{id}/scopes/{scopeId}', { path })
            invalidate(`/dataSources/${source.id}/`)
          }}
          onClose={() => doom(null)}
        />
      )}
    </>
  )
}

function ScopeTable({
  scopes,
  onEdit,
  onDelete,
}: {
  readonly scopes: readonly Scope[]
  readonly onEdit: (scope: Scope) => void
  readonly onDelete: (scope: Scope) => void
}): JSX.Element {
  return (
    <Table<Scope>
      label={t('data.tab.scopes')}
      rows={scopes}
      keyOf={({ id }) => id}
      columns={[
        {
          key: 'name',
          title: t('data.scope'),
          cell: ({ name, tables }) => (
            <>
              <b>{name}</b>
              <div class="path">{tables.join(', ')}</div>
            </>
          ),
        },
        { key: 'who', title: t('data.subjects'), cell: ({ subjects }) => <Subjects subjects={subjects} /> },
        {
          key: 'access',
          title: t('data.access'),
          wide: true,
          cell: ({ access }) => t(`data.scopeAccess.${access}`),
        },
        {
          key: 'rows',
          title: t('data.tab.rows'),
          wide: true,
          cell: (scope) => (
            <>
              {filterText(scope.filter)}
              {scope.hiddenColumns.length > 0 && (
                <div class="path">{t('data.without', { names: scope.hiddenColumns.join(', ') })}</div>
              )}
            </>
          ),
        },
        {
          key: 'more',
          title: <span class="vh">{t('data.actions')}</span>,
          figures: true,
          cell: (scope) => (
            <>
              <IconButton
                small
                icon="edit"
                label={t('data.editName', { name: scope.name })}
                onClick={() => onEdit(scope)}
              />
              <IconButton
                small
                icon="close"
                label={t('data.deleteName', { name: scope.name })}
                onClick={() => onDelete(scope)}
              />
            </>
          ),
        },
      ]}
    />
  )
}

function Subjects({ subjects }: { readonly subjects: Scope['subjects'] }): JSX.Element {
  const users = useGet('/users', subjects.users.length > 0 ? {} : null)
  const groups = useGet('/userGroups', subjects.userGroups.length > 0 ? {} : null)
  const names = [
    ...subjects.roles.map((role) => t(`data.role.${role}`)),
    ...subjects.userGroups.map((id) => groups.data?.find((one) => one.id === id)?.name ?? `#${id}`),
    ...subjects.users.map((id) => users.data?.find((one) => one.id === id)?.username ?? `#${id}`),
  ]
  return <span>{names.join(', ')}</span>
}
