-- Chunks that may be claimed, by the time from which they may: a claim passed over all chunks of its run that rest, of which there may be hundreds
-- of thousands. Those without a time are last, in their order.
create index run_chunks_pending on run_chunks (run_id, not_before, chunk_no) where state = 'pending';
