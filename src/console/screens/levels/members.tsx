import type { JSX } from 'preact'
import { useState } from 'preact/hooks'

import { call } from '../../api/client.ts'
import { useGet } from '../../api/resource.ts'
import { background } from '../../kit/background.ts'
import { Button, IconButton } from '../../kit/controls.tsx'
import { Card } from '../../kit/data.tsx'
import { Empty, Show } from '../../kit/feedback.tsx'
import { toast } from '../../kit/toasts.tsx'
import { t } from '../../language/t.ts'
import { levelsChanged } from './changed.ts'
import { MemberDialog } from './member-dialog.tsx'
import { MemberRow } from './member-row.tsx'
import { worstFirst } from './member.ts'
import type { LevelType, Member } from './member.ts'

type Level = { readonly type: LevelType; readonly id: number; readonly name: string }

/** The members of a service or a container, worst first, with the path to what decides the state.
 * @param reasons the ids of the objects that decide the state
 * @param refused why the user cannot change the members */
export function Members({
  level,
  etag,
  reasons,
  refused,
}: {
  readonly level: Level
  readonly etag: string | undefined
  readonly reasons: ReadonlySet<number>
  readonly refused: string | undefined
}): JSX.Element {
  const [edited, setEdited] = useState<Member | 'new' | null>(null)
  const { type, id } = level
  const members = useGet('/{parentType}/{parentId}/children', { path: { parentType: type, parentId: id } }, [
    'state',
  ])
  const add = (
    <Button small icon="plus" refused={refused} onClick={() => setEdited('new')}>
      {t('levels.addMember')}
    </Button>
  )
  return (
    <Card title={t('levels.members')} note={t('levels.membersNote')} actions={add}>
      <Show resource={members} what={t('levels.membersFailed')}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty title={t('levels.noMembers')} text={t(`levels.noMembersText.${type}`)} action={add} />
          ) : (
            <ul class="rows">
              {worstFirst(items).map((member) => (
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
                          onClick={() => background(removeMember(level, member))}
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
  const { weight, stateOverrides } = member
  const change = async (mode: 'remove' | 'merge'): Promise<void> => {
    const item = { id: member.id, ...(weight && { weight }), ...(stateOverrides && { stateOverrides }) }
    await call('put', '/{parentType}/{parentId}/children', {
      path,
      query: { mode },
      body: { items: [item] },
    })
    levelsChanged()
  }
  await change('remove')
  toast({ text: t('levels.memberRemoved', { name: member.name }), undo: () => change('merge') })
}
