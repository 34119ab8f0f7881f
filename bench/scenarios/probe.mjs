// No measurement: checks that the peer works here at all.

export async function measure(load) {
  const peer = await load();
  const text = await peer.run('echo it works');
  if (!text.includes('it works')) throw new Error('it did not run the command');
  // A peer of few scenarios implements only what they need.
  if (!peer.start) return {};
  let heard = '';
  await peer.start('echo it streams', (chunk) => {
    heard += chunk;
  }).done;
  if (!heard.includes('it streams')) throw new Error('it did not stream the output');
  return {};
}
