import type { JSX } from 'preact'
import { useState } from 'preact/hooks'

import { maintainAll } from '../../../actions/maintain.ts'
import { setStopped } from '../../../actions/stop.ts'
import { call } from '../../../api/client.ts'
import { Button, IconButton } from '../../../kit/controls.tsx'
import { Confirm } from '../../../kit/overlays.tsx'
import { nameOf } from '../../../kit/object-name.ts'
import { t } from '../../../language/t.ts'
import { MoveDialog } from '../move-dialog.tsx'
import { nodesBelow } from '../place/below.ts'
import { ROOT_ID } from './branches.ts'
import type { Node } from './branches.ts'
import { canCopy, CopyMarked, DeleteMarked } from './marked-dialogs.tsx'
import type { Marked } from './marked-dialogs.tsx'

const MAINTAIN_MIN = 20
type Job = { readonly id: number; readonly name: string }
type Props = { readonly nodes: readonly Node[]; readonly onUnmark: () => void }

/** The actions on all marked objects. Groups and devices stand for the jobs below them. */
export function MarkedBar({ nodes, onUnmark }: Props): JSX.Element {
  const [dialog, setDialog] = useState<'move' | 'copy' | 'delete' | null>(null)
  const [stopping, setStopping] = useState<readonly Job[] | null>(null)
  const lacking = (right: 'write' | 'maintain'): Node | undefined =>
    nodes.find(({ permissions }) => permissions?.[right] === false)
  const noWrite = lacking('write')
  const noMaintain = lacking('maintain')
  const needsWrite = noWrite && t('stop.needsWrite', { name: nameOf(noWrite) })
  const places = nodes.map(placeOf)
  const close = (): void => setDialog(null)
  return (
    <div class="marked" role="group" aria-label={t('objects.marked', { count: nodes.length })}>
      <span class="row">
        <b class="grow" role="status">
          {t('objects.marked', { count: nodes.length })}
        </b>
        <IconButton small icon="close" label={t('objects.unmark')} onClick={onUnmark} />
      </span>
      <span class="row wrap">
        <Button small icon="pause" refused={needsWrite} action={async () => setStopping(await jobsOf(nodes))}>
          {t('stop.stop')}
        </Button>
        <Button
          small
          icon="play"
          refused={needsWrite}
          action={async () => setStopped(await jobsOf(nodes), false)}
        >
          {t('stop.start')}
        </Button>
        <Button
          small
          icon="maintenance"
          refused={noMaintain && t('alarm.needsMaintain', { name: nameOf(noMaintain) })}
          action={() => maintainAll(places, MAINTAIN_MIN)}
        >
          {t('maintain.button', { minutes: MAINTAIN_MIN })}
        </Button>
        <Button small icon="right" refused={needsWrite} onClick={() => setDialog('move')}>
          {t('objects.moveMenu')}
        </Button>
        <Button
          small
          icon="copy"
          refused={canCopy(places) ? undefined : t('objects.copyTypes')}
          onClick={() => setDialog('copy')}
        >
          {t('objects.copyMenu')}
        </Button>
        <Button
          small
          icon="close"
          kind="danger"
          refused={nodes.some(({ id }) => id === ROOT_ID) ? t('objects.rootStays') : needsWrite}
          onClick={() => setDialog('delete')}
        >
          {t('objects.delete')}
        </Button>
      </span>
      {dialog === 'move' && <MoveDialog objects={places} onClose={close} />}
      {dialog === 'copy' && <CopyMarked objects={places} onDone={onUnmark} onClose={close} />}
      {dialog === 'delete' && <DeleteMarked objects={places} onDone={onUnmark} onClose={close} />}
      {stopping && (
        <Confirm
          title={t('objects.stopTitle', { count: stopping.length })}
          effect={t('objects.stopEffect', { count: stopping.length })}
          submit={t('stop.stop')}
          onConfirm={() => setStopped(stopping, true)}
          onClose={() => setStopping(null)}
        />
      )}
    </div>
  )
}

const placeOf = (node: Node): Marked => ({
  type: node.type,
  id: node.id,
  name: nameOf(node),
})

/** The jobs among the objects and below them, each once.
 * @throws {Failure} */
async function jobsOf(nodes: readonly Node[]): Promise<readonly Job[]> {
  const lists = await Promise.all(
    nodes.map(async (node) => {
      if (node.type === 'job') return [node]
      const tree = await call('get', '/root/tree/{parentType}/{parentId}/tree', {
        path: { parentType: node.type, parentId: node.id },
        query: { depth: 'all', fields: 'name,children', types: 'group,device,job' },
      })
      return nodesBelow(tree)
    }),
  )
  const jobs = lists.flat().filter(({ type }) => type === 'job')
  return [...new Map(jobs.map(({ id, name = '' }) => [id, { id, name }])).values()]
}
