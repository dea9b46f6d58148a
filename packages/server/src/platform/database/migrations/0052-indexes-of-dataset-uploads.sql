-- As in 0045.
drop index dataset_uploads_processing;
create index dataset_uploads_processing on dataset_uploads (organization_id, id) where state = 'processing';
