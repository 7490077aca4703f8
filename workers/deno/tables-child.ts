import { endWithParent, runTasks } from '../server/tables/child.ts'

endWithParent((option, signal) => {
  const { symbols } = Deno.dlopen('libc.so.6', {
    prctl: { parameters: ['i32', 'u64'], result: 'i32' },
  })
  symbols.prctl(option, signal)
})
runTasks()
