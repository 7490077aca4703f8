import type { JSX } from 'preact'
import { useState } from 'preact/hooks'

import { call } from '../../api/client.ts'
import { useGet } from '../../api/resource.ts'
import { Button, IconButton } from '../../kit/controls.tsx'
import { Card } from '../../kit/data.tsx'
import { Empty, Show } from '../../kit/feedback.tsx'
import { toast } from '../../kit/toasts.ts'
import { t } from '../../language/t.ts'
import { levelsChanged } from './changed.ts'
import { MemberDialog } from './member-dialog.tsx'
import { MemberRow } from './member-row.tsx'
import { inOrder, linkOf } from './member.ts'
import type { LevelType, Member, Order } from './member.ts'
import { OrderDialog } from './order-dialog.tsx'

type Level = { readonly type: LevelType; readonly id: number; readonly name: string }

/** The members of a service or a container, with the path to the objects that decide the state.
 * @param order the order that the service names; a container has its worst member first
 * @param reasons the ids of the objects that decide the state
 * @param refused why the user cannot change the members */
export function Members({
  level,
  etag,
  order = 'state',
  reasons,
  refused,
}: {
  readonly level: Level
  readonly etag: string | undefined
  readonly order?: Order
  readonly reasons: ReadonlySet<number>
  readonly refused: string | undefined
}): JSX.Element {
  const [edited, setEdited] = useState<Member | 'new' | null>(null)
  const [ordered, setOrdered] = useState<readonly Member[] | null>(null)
  const { type, id } = level
  const members = useGet('/{parentType}/{parentId}/children', { path: { parentType: type, parentId: id } }, [
    'state',
  ])
  const add = (
    <Button small icon="plus" refused={refused} onClick={() => setEdited('new')}>
      {t('levels.addMember')}
    </Button>
  )
  const all = inOrder(members.data?.items ?? [], order)
  const links = all.filter(({ by }) => by === 'link')
  const sort = order === 'link' && links.length > 1 && (
    <Button small refused={refused} onClick={() => setOrdered(links)}>
      {t('levels.changeOrder')}
    </Button>
  )
  return (
    <Card
      title={t('levels.members')}
      note={t(`levels.order.${order}`)}
      actions={
        <>
          {sort}
          {add}
        </>
      }
    >
      <Show resource={members} what={t('levels.membersFailed')}>
        {() =>
          all.length === 0 ? (
            <Empty title={t('levels.noMembers')} text={t(`levels.noMembersText.${type}`)} action={add} />
          ) : (
            <ul class="rows">
              {all.map((member) => (
                <MemberRow
                  key={member.id}
                  member={member}
                  reasons={reasons}
                  depth={1}
                  actions={
                    member.by === 'link' && (
                      <>
                        {type === 'slo' && (
                          <IconButton
                            small
                            icon="edit"
                            label={t('levels.editMember', { name: member.name })}
                            refused={refused}
                            onClick={() => setEdited(member)}
                          />
                        )}
                        <IconButton
                          small
                          icon="close"
                          label={t('levels.removeMember', { name: member.name })}
                          refused={refused}
                          action={() => removeMember(level, member)}
                        />
                      </>
                    )
                  }
                />
              ))}
            </ul>
          )
        }
      </Show>
      {ordered && (
        <OrderDialog id={id} name={level.name} etag={etag} links={ordered} onClose={() => setOrdered(null)} />
      )}
      {edited !== null && (
        <MemberDialog
          level={level}
          etag={etag}
          {...(edited === 'new' ? {} : { member: edited })}
          onClose={() => setEdited(null)}
        />
      )}
    </Card>
  )
}

async function removeMember({ type, id }: Level, member: Member): Promise<void> {
  const path = { parentType: type, parentId: id }
  const change = async (mode: 'remove' | 'merge'): Promise<void> => {
    await call('put', '/{parentType}/{parentId}/children', {
      path,
      query: { mode },
      body: { items: [linkOf(member)] },
    })
    levelsChanged()
  }
  await change('remove')
  toast({ text: t('levels.memberRemoved', { name: member.name }), undo: () => change('merge') })
}
