-- How many uploads of an organization are in processing is counted for each that begins.
create index dataset_uploads_processing on dataset_uploads (organization_id) where state = 'processing';
