-- With the id, which finds one of them: where statistics say that no upload is in processing, this index would serve a claim by the id as
-- well as the primary key does, and all that are in processing would be read.
drop index dataset_uploads_processing;
create index dataset_uploads_processing on dataset_uploads (organization_id, id) where state = 'processing';
