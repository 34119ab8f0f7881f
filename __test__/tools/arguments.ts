/** Arguments that name the first job of a toolset, as each dialect calls it. */
export const ONE_JOB = {
  job: 'job-1',
  bash_id: 'bash_1',
  shell_id: 'bash_1',
  task_id: 'bash_1',
  session_id: 1001,
  pid: 1,
};
