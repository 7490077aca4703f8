import type { JSX } from 'preact'

import { useGet } from '../../api/resource.ts'
import { SelectField } from '../../kit/controls.tsx'
import { Card, Table } from '../../kit/data.tsx'
import { Show } from '../../kit/feedback.tsx'
import { useQuery } from '../../kit/location.ts'
import { t } from '../../language/t.ts'
import { filterText } from './filter-text.ts'
import type { Effective } from './scope.ts'
import type { Source } from './sources.ts'

/** The rows and columns that one user sees, with the scopes that decide. */
export function ScopePreview({ source }: { readonly source: Source }): JSX.Element {
  const users = useGet('/users', {})
  const [userId, setUserId] = useQuery<string>('user', '')
  const effective = useGet(
    '/dataSources/{id}/scopes/effective',
    userId === '' ? null : { path: { id: source.id }, query: { userId: Number(userId) } },
  )
  return (
    <Card title={t('data.preview')} class="within">
      <div class="pad">
        <SelectField
          label={t('data.previewUser')}
          class="search-box"
          value={userId}
          onValue={(value) => setUserId(value)}
          options={[
            { value: '', text: t('data.choose') },
            ...(users.data ?? []).map(({ id, username, fullname, role }) => ({
              value: String(id),
              text: `${fullname || username} (${t(`data.role.${role}`)})`,
            })),
          ]}
        />
      </div>
      {userId !== '' && (
        <Show resource={effective} what={t('data.failedPreview')}>
          {({ items }) => (
            <>
              <p class="pad-x" role="status">
                {t('data.say.sees', {
                  count: items.filter(({ read }) => read !== null && read.rows !== 'none').length,
                  all: items.length,
                })}
              </p>
              <Sights items={items} />
            </>
          )}
        </Show>
      )}
    </Card>
  )
}

function Sights({ items }: { readonly items: readonly Effective[] }): JSX.Element {
  return (
    <Table<Effective>
      label={t('data.preview')}
      rows={items}
      keyOf={({ table }) => table}
      columns={[
        { key: 'table', title: t('data.table'), cell: ({ table }) => <b>{table}</b> },
        {
          key: 'reads',
          title: t('data.reads'),
          cell: ({ read, hiddenColumns }) => (
            <>
              {partText(read) ?? t('data.notThere')}
              {hiddenColumns.length > 0 && (
                <div class="path">{t('data.without', { names: hiddenColumns.join(', ') })}</div>
              )}
            </>
          ),
        },
        { key: 'edits', title: t('data.edits'), wide: true, cell: ({ edit }) => partText(edit) ?? '–' },
        { key: 'why', title: t('data.reason'), cell: (item) => <Reasons item={item} /> },
      ]}
    />
  )
}

function partText(part: Effective['read']): string | null {
  if (part === null) return null
  return part.rows === 'none' ? t('data.zeroRows') : filterText(part.filter)
}

function Reasons({ item: { reason, scopes } }: { readonly item: Effective }): JSX.Element {
  return (
    <>
      {t(`data.reason.${reason}`)}
      {scopes.map(({ id, name, appliesBy, why }) => (
        <div key={id} class="path">
          {name}:{' '}
          {appliesBy.length === 0
            ? t('data.appliesNot')
            : t('data.appliesBy', { by: appliesBy.map(({ by }) => t(`data.by.${by}`)).join(', ') })}
          {why !== null && ` (${why})`}
        </div>
      ))}
    </>
  )
}
