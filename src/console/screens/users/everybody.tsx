import type { JSX } from 'preact'

import type { Item } from '../../api/client.ts'
import { usePages } from '../../api/pages.ts'
import { Button } from '../../kit/controls.tsx'
import { Card, Table } from '../../kit/data.tsx'
import { Show } from '../../kit/feedback.tsx'
import { linkTo } from '../../kit/location.ts'
import { t } from '../../language/t.ts'
import { RIGHTS, subjectText } from './rights.ts'
import type { Place } from './rights.ts'
import { YesNo } from './verdict.tsx'

type Row = Item<'/{objectType}/{objectId}/permissions/effective'>

/** All users with their rights on the object and the grant that gives them. */
export function Everybody({
  place,
  userId,
}: {
  readonly place: Place
  readonly userId: number
}): JSX.Element {
  const everybody = usePages('/{objectType}/{objectId}/permissions/effective', {
    path: { objectType: place.type, objectId: place.id },
  })
  return (
    <Card
      title={t('users.everybody')}
      note={
        everybody.data &&
        t('users.everybodyNote', {
          count: everybody.data.filter(({ permissions }) => permissions.read).length,
          all: everybody.data.length,
        })
      }
      footer={
        everybody.more && (
          <Button small onClick={everybody.more}>
            {t('users.more')}
          </Button>
        )
      }
    >
      <Show resource={everybody}>
        {(rows) => (
          <Table<Row>
            label={t('users.everybody')}
            rows={rows}
            current={userId}
            keyOf={({ user }) => user.id}
            columns={[
              {
                key: 'user',
                title: t('users.who'),
                cell: ({ user }) => (
                  <a href={linkTo('users/explain', { userId: user.id, type: place.type, id: place.id })}>
                    {user.username}
                  </a>
                ),
              },
              {
                key: 'role',
                title: t('users.role'),
                wide: true,
                cell: ({ user }) => t(`users.role.${user.role}`),
              },
              {
                key: 'by',
                title: t('users.by'),
                wide: true,
                cell: decisionText,
              },
              ...RIGHTS.map((right) => ({
                key: right,
                title: t(`users.right.${right}`),
                cell: ({ permissions }: Row) => <YesNo yes={permissions[right]} />,
              })),
            ]}
          />
        )}
      </Show>
    </Card>
  )
}

/** The role or the grant that lets a user see the object. */
function decisionText({ user, decidedBy: { read } }: Row): string {
  if (user.role === 'administrator') return t('users.byRole')
  return read === null ? '' : subjectText(read)
}
