create role rowmill login createrole password 'password';
create database rowmill owner rowmill;
